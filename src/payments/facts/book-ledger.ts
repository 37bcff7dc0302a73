import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { isOfPayout, missingLines } from '../ledger.ts';
import { keyText } from '../payment-key.ts';
import type { PaymentEvidence } from './folding-world.ts';

/** Adds ledger entries for the steps that the payments' facts show and that have none yet. Credits are added separately. */
export async function bookLedger(
  tx: DatabaseTransaction,
  { evidence, now }: { evidence: readonly PaymentEvidence[]; now: Date },
): Promise<void> {
  const booked = await tx.ledgerEntry.findMany({
    where: {
      paymentIntentId: { in: evidence.map(({ terms }) => terms.paymentIntentId) },
      termsHash: { in: evidence.map(({ terms }) => terms.termsHash) },
    },
  });
  const ofPayments = Map.groupBy(
    booked.filter((line) => !isOfPayout(line)),
    keyText,
  );
  const data = evidence.flatMap(({ terms, facts }) => {
    const { paymentIntentId, termsHash, tokenKey } = terms;
    return missingLines(ofPayments.get(keyText(terms)) ?? [], facts).map((line) => ({
      ...line,
      id: newId(),
      paymentIntentId,
      termsHash,
      tokenKey,
      amount: toDecimal(line.amount),
      createdAt: now,
    }));
  });
  if (data.length > 0) await tx.ledgerEntry.createMany({ data });
}
