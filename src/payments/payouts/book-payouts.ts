import type { DatabaseTransaction, LedgerAccount } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { type Booking, isOfPayout, missingOf, payoutBookings } from '../ledger.ts';
import { accountOf, type FoldedPayout } from './payout.ts';

type BookedPayment = { paymentIntentId: string; termsHash: string; tokenKey: string };

/** Books the credits and claims that the payouts show and the books of their payments do not hold yet. */
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
    missingOf(booked.get(termsHash) ?? [], bookingsOf(ofPayment.get(termsHash) ?? [])).map((line) => ({
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

/** The bookings of one payment; one claim may deliver several of its credits. */
function bookingsOf(payouts: readonly FoldedPayout[]): Booking[] {
  const claimed = new Map<string, Booking>();
  const credited = payouts.map(({ credit, claim }): Booking => {
    const account = accountOf[credit.role];
    if (claim) {
      const key = `${claim.blockHash}-${claim.logIndex}`;
      const booking = claimed.get(key) ?? { place: claim, type: payoutBookings.claim, movements: {} };
      add(booking, account, credit.amount);
      add(booking, 'UNDELIVERED', -credit.amount);
      claimed.set(key, booking);
    }
    const movements = { [account]: -credit.amount, UNDELIVERED: credit.amount };
    return { place: credit, type: payoutBookings.credit, movements };
  });
  return [...credited, ...claimed.values()];
}

function add({ movements }: Booking, account: LedgerAccount, amount: bigint): void {
  movements[account] = (movements[account] ?? 0n) + amount;
}
