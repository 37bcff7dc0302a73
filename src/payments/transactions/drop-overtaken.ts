import type { DatabaseTransaction, PaymentIntent, TransactionType } from '../../../prisma/client.ts';
import { acceptedKey } from '../payment-key.ts';

/**
 * Drops our pending transactions of the given types that the payment's new state makes impossible, so that the next action need
 * not wait for them. An unsigned one is CANCELLED at once and its row FAILED. One that has a nonce is abandoned, and its row
 * stays PENDING until the nonce is used on chain, because what was signed may still be mined. The caller holds the payment's
 * lock.
 */
export async function dropOvertaken(
  tx: DatabaseTransaction,
  request: { intent: PaymentIntent; types: TransactionType[]; reason: string; now: Date },
): Promise<void> {
  const { types, reason: error, now } = request;
  const key = acceptedKey(request.intent);
  if (key === null) return;
  const open = await tx.transaction.findMany({ where: { ...key, type: { in: types }, status: 'PENDING' } });
  for (const { id: transactionId } of open) {
    const dropped = await tx.outgoingTransaction.updateMany({
      where: { transactionId, status: 'QUEUED' },
      data: { status: 'CANCELLED', error },
    });
    if (dropped.count === 1) {
      await tx.transaction.update({ where: { id: transactionId }, data: { status: 'FAILED', error } });
      continue;
    }
    await tx.outgoingTransaction.updateMany({
      where: { transactionId, status: { in: ['SIGNED', 'SENT'] }, abandonedAt: null },
      data: { abandonedAt: now, error },
    });
  }
}
