import { isAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import { readAuthorization } from './read-authorization.ts';

/**
 * Reads what an address that has just become a customer's wallet allows the escrow already: approvals from before are
 * told by no new event. Writes the wallets of that address; idempotent. Throws CHAIN_UNAVAILABLE.
 */
export async function refreshWallet(
  world: { database: Database; registry: Registry; nodes: EvmNodes },
  { chainId, walletAddress }: { chainId: number; walletAddress: string },
): Promise<void> {
  const isRead = world.registry.enabled().some((chain) => chain.chainId === chainId && chain.family === 'EVM');
  if (!isRead || !isAddress(walletAddress)) return;
  const data = await readAuthorization(world, { chainId, wallet: walletAddress, blockHash: null });
  await world.database.customerWallet.updateMany({ where: { chainId, walletAddress }, data });
}
