import type { DatabaseTransaction, PaymentIntent, TransactionType } from '../../../prisma/client.ts';
import { acceptedKey, keyText } from '../payment-key.ts';

/**
 * Drops pending transactions of the given types that the payments' new states make impossible, so that the next actions need
 * not wait for them. An unsigned one is CANCELLED at once and its row FAILED. One that has a nonce is abandoned, and its row
 * stays PENDING until the nonce is used on chain, because what was signed may still be mined. The caller holds the payments'
 * locks.
 */
export async function dropOvertaken(
  tx: DatabaseTransaction,
  request: { intents: readonly PaymentIntent[]; types: TransactionType[]; reason: string; now: Date },
): Promise<void> {
  const { types, reason: error, now } = request;
  const keys = request.intents.map(acceptedKey).filter((key) => key !== null);
  if (keys.length === 0) return;
  const open = await tx.transaction.findMany({
    where: { termsHash: { in: keys.map(({ termsHash }) => termsHash) }, type: { in: types }, status: 'PENDING' },
    select: { id: true, chainId: true, termsHash: true },
  });
  const counted = new Set(keys.map(keyText));
  for (const { id: transactionId } of open.filter((row) => counted.has(keyText(row)))) {
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
