import { isAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import { readAuthorization } from './read-authorization.ts';
import { restoreWallet } from './restore-wallet.ts';

/**
 * An address has just become a customer's wallet, by hand or by a payment: gives it back to the subscriptions that it has
 * signed for, and reads what it allows the escrow already, for approvals from before are told by no new event. Who pays
 * links it while holding that payment locked, and subscriptions are locked before payments, so that they are written here.
 * Writes the wallets of that address, and those subscriptions; idempotent. Throws CHAIN_UNAVAILABLE.
 */
export async function refreshWallet(
  world: { database: Database; registry: Registry; nodes: EvmNodes },
  { chainId, walletAddress }: { chainId: number; walletAddress: string },
): Promise<void> {
  const wallets = await world.database.customerWallet.findMany({ where: { chainId, walletAddress } });
  for (const wallet of wallets) await restoreWallet(world.database, wallet);
  const isRead = world.registry.enabled().some((chain) => chain.chainId === chainId && chain.family === 'EVM');
  if (!isRead || !isAddress(walletAddress)) return;
  const data = await readAuthorization(world, { chainId, wallet: walletAddress, blockHash: null });
  await world.database.customerWallet.updateMany({ where: { chainId, walletAddress }, data });
}
