import { type Database, transaction } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { notFound } from '../errors.ts';

/** Unlinks a wallet; a subscription paid from it keeps its history but loses the wallet. Throws NOT_FOUND. */
export async function removeCustomerWallet(
  world: { database: Database },
  request: { scope: Scope; customerId: string; walletId: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    const removed = await tx.customerWallet.deleteMany({
      where: { id: request.walletId, customerAccountId: request.customerId, customerAccount: appScope(request.scope) },
    });
    if (removed.count === 0) throw notFound('wallet');
  });
}
