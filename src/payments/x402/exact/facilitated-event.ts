import type { DatabaseTransaction, ExactAuthorization } from '../../../../prisma/client.ts';
import { appendEvents, type Finality } from '../../../events/append-events.ts';
import { facilitatedPaymentFields } from './facilitated-payment-fields.ts';

/**
 * Appends the outcome of a payment to another server: `settled`, `failed`, or `reverted` if a reorganization has withdrawn the outcome that
 * `before` had. Does nothing for the payment of a payment intent, which has events of its own. The caller has written the row.
 */
export async function appendFacilitatedEvent(
  tx: DatabaseTransaction,
  { before, finality }: { before: ExactAuthorization; finality: Finality },
): Promise<void> {
  if (before.paymentIntentId !== null) return;
  const row = await tx.exactAuthorization.findUniqueOrThrow({ where: { id: before.id } });
  if (row.status === before.status && row.failure === before.failure) return;
  const data = facilitatedPaymentFields(row);
  const of = { resourceId: row.id };
  if (before.status !== 'PENDING') {
    await appendEvents(tx, row.appId, [
      {
        ...of,
        type: 'facilitated_payment.reverted',
        data,
        finality: { ...finality, confirmations: 0, isFinal: false },
      },
    ]);
  }
  if (row.status === 'SETTLED') {
    await appendEvents(tx, row.appId, [{ ...of, type: 'facilitated_payment.settled', data, finality }]);
  }
  if (row.status === 'FAILED') {
    await appendEvents(tx, row.appId, [{ ...of, type: 'facilitated_payment.failed', data, finality }]);
  }
}
