import type { CustomerWallet, Database, DatabaseTransaction } from '../../prisma/client.ts';

/**
 * Returns a wallet to those subscriptions of its customer that it has signed for and that lost it when it was unlinked: they are
 * charged from it again. Idempotent.
 */
export async function restoreWallet(
  database: Database | DatabaseTransaction,
  { id, customerAccountId, chainId, walletAddress }: CustomerWallet,
): Promise<void> {
  await database.subscription.updateMany({
    where: { customerAccountId, customerWalletId: null, consent: { chainId, walletAddress } },
    data: { customerWalletId: id },
  });
}
