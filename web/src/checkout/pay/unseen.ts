/** The state of a payment that the payer's wallet sent and that was not seen in a block. Pure. */

/** SOON: it may appear at any moment. LATE: it may still appear, until the given time. LOST: it can no longer appear. */
export type Unseen = { state: 'SOON' | 'LOST' } | { state: 'LATE'; until: number };

export const LATE_MS = 120_000;
/** A transaction on Solana names a block of the last minute or so, and is dropped with it. */
export const SOLANA_LIFE_MS = 180_000;
/** Tolerance for the difference between the clocks, and for the delay from a block to this page. */
const MARGIN_MS = 60_000;

/** Milliseconds, by the gateway's clock. `payBy`: a payment in a later block is not accepted. */
type Sending = { family: string; sentAt: number; payBy: number };

export function unseenAt(now: number, sending: Sending): Unseen {
  const until = comesUntil(sending);
  if (now > until) return { state: 'LOST' };
  return now - sending.sentAt > LATE_MS ? { state: 'LATE', until } : { state: 'SOON' };
}

/** The time after which it can no longer appear. */
export function comesUntil({ family, sentAt, payBy }: Sending): number {
  return (family === 'SOLANA' ? Math.min(payBy, sentAt + SOLANA_LIFE_MS) : payBy) + MARGIN_MS;
}
