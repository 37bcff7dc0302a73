import type { DatabaseTransaction, StrayKind } from '../../../prisma/client.ts';

/**
 * Records that money reached an intent without being its payment, in the transaction that reports it and under the lock of the
 * intent. The record stays after the money went back, and if a reorganization removes it.
 */
export async function noteStrayPayment(
  tx: DatabaseTransaction,
  stray: { paymentIntentId: string; kind: StrayKind; now: Date },
): Promise<void> {
  const { paymentIntentId, kind, now } = stray;
  await tx.strayPayment.createMany({ data: [{ paymentIntentId, kind, createdAt: now }], skipDuplicates: true });
}

/** Money for an intent that was never paid and cannot be paid any more, or that came after its deadline, is late. */
export function strayKind(
  intent: { status: string; acceptedTermsHash: string | null },
  { isLate }: { isLate: boolean },
): StrayKind {
  const isOver = intent.status === 'CANCELLED' || isLate;
  return intent.acceptedTermsHash === null && isOver ? 'LATE' : 'MISPAID';
}
