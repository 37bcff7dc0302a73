import type { DatabaseTransaction, PaymentIntent, TransactionType } from '../../../prisma/client.ts';
import { acceptedKey } from '../payment-key.ts';

/**
 * Drops transactions of ours that the payment's new state refuses for good, so that the next verb need not wait for
 * them: an unsigned one is CANCELLED at once, its row FAILED; one that has a nonce is abandoned, and its row stays PENDING
 * until the chain has used the nonce, for what was signed may still be mined. The payment is locked by the caller.
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
