import { type Database, transaction } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import { fieldsOf } from '../../auth/audit/audit-entry.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { notFound } from '../../errors.ts';
import { linkFacts } from './create-payment-link.ts';

/** Deletes a link permanently; sessions and payments that came from it keep its id. Throws NOT_FOUND. */
export async function deletePaymentLink(
  world: { database: Database },
  request: { scope: Scope; id: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    const where = { id: request.id, ...appScope(request.scope) };
    const link = await tx.paymentLink.findFirst({ where });
    const deleted = await tx.paymentLink.deleteMany({ where });
    if (!link || deleted.count === 0) throw notFound('payment link');
    await recordAction(tx, {
      action: 'payment_link.deleted',
      owner: { appId: link.appId },
      target: { type: 'PaymentLink', id: link.id },
      before: fieldsOf(link, linkFacts),
    });
  });
}
