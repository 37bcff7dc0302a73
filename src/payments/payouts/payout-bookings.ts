import type { LedgerAccount } from '../../../prisma/client.ts';
import { type Booking, payoutBookings } from '../ledger.ts';
import { accountOf, type FoldedPayout } from './payout.ts';

/** The bookings of one payment; one claim may deliver several of its credits. */
export function bookingsOfPayouts(payouts: readonly FoldedPayout[]): Booking[] {
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
