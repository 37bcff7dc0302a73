import { isAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import { readAuthorization } from './read-authorization.ts';
import { restoreWallet } from './restore-wallet.ts';

/**
 * Handles an address that has just become a customer's wallet, added manually or by a payment: returns it to the subscriptions
 * that it has signed for, and reads its current allowances, because earlier approvals cause no new event. A payment links the
 * wallet while it holds the payment's lock, and subscriptions must be locked before payments, so they are updated here instead.
 * Writes the wallets of that address and those subscriptions. Idempotent. Throws CHAIN_UNAVAILABLE.
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
