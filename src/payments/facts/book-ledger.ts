import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { isOfPayout, missingLines } from '../ledger.ts';
import type { PaymentEvidence } from './folding-world.ts';

/** Books the steps that the payment's facts show and its books do not hold yet. Credits are booked separately. */
export async function bookLedger(
  tx: DatabaseTransaction,
  { evidence, now }: { evidence: PaymentEvidence; now: Date },
): Promise<void> {
  const { paymentIntentId, chainId, termsHash, tokenKey } = evidence.terms;
  const booked = await tx.ledgerEntry.findMany({ where: { paymentIntentId, chainId, termsHash } });
  const lines = missingLines(
    booked.filter((line) => !isOfPayout(line)),
    evidence.facts,
  );
  if (lines.length === 0) return;
  await tx.ledgerEntry.createMany({
    data: lines.map((line) => ({
      ...line,
      id: newId(),
      paymentIntentId,
      termsHash,
      tokenKey,
      amount: toDecimal(line.amount),
      createdAt: now,
    })),
  });
}
