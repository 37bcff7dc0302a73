import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { isOfPayout, missingOf } from '../ledger.ts';
import type { FoldedPayout } from './payout.ts';
import { bookingsOfPayouts } from './payout-bookings.ts';

type BookedPayment = { paymentIntentId: string; termsHash: string; tokenKey: string };

/** Adds ledger entries for the credits and claims that the payouts show and that have none yet. */
export async function bookPayouts(
  tx: DatabaseTransaction,
  request: { chainId: number; payments: readonly BookedPayment[]; payouts: readonly FoldedPayout[]; now: Date },
): Promise<void> {
  const { chainId, payments, payouts, now } = request;
  const entries = await tx.ledgerEntry.findMany({
    where: { chainId, termsHash: { in: payments.map(({ termsHash }) => termsHash) } },
  });
  const booked = Map.groupBy(entries.filter(isOfPayout), ({ termsHash }) => termsHash);
  const ofPayment = Map.groupBy(payouts, ({ credit }) => credit.termsHash);
  const data = payments.flatMap(({ paymentIntentId, termsHash, tokenKey }) =>
    missingOf(booked.get(termsHash) ?? [], bookingsOfPayouts(ofPayment.get(termsHash) ?? [])).map((line) => ({
      ...line,
      id: newId(),
      paymentIntentId,
      termsHash,
      tokenKey,
      amount: toDecimal(line.amount),
      createdAt: now,
    })),
  );
  if (data.length > 0) await tx.ledgerEntry.createMany({ data });
}
