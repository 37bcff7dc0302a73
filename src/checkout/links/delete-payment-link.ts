import { type Database, transaction } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import type { Scope } from '../../auth/principal.ts';
import { notFound } from '../../errors.ts';

/** Deletes a link for good; sessions and payments that came from it keep its id. Throws NOT_FOUND. */
export async function deletePaymentLink(
  world: { database: Database },
  request: { scope: Scope; id: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    const deleted = await tx.paymentLink.deleteMany({ where: { id: request.id, ...appScope(request.scope) } });
    if (deleted.count === 0) throw notFound('payment link');
  });
}
