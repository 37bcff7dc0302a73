/** What can be said of a payment that the payer's own wallet sent, and that nobody has seen in a block. Pure. */

/** SOON: it may come any moment. LATE: it may still come, until then. LOST: it cannot come any more. */
export type Unseen = { state: 'SOON' | 'LOST' } | { state: 'LATE'; until: number };

export const LATE_MS = 120_000;
/** A transaction on Solana names a block of the last minute or so, and is dropped with it. */
export const SOLANA_LIFE_MS = 180_000;
/** Between a chain's clock and ours, and from a block to us. */
const MARGIN_MS = 60_000;

/** Milliseconds, by the gateway's clock. `payBy`: what is in no block by then is not taken. */
type Sending = { family: string; sentAt: number; payBy: number };

export function unseenAt(now: number, sending: Sending): Unseen {
  const until = comesUntil(sending);
  if (now > until) return { state: 'LOST' };
  return now - sending.sentAt > LATE_MS ? { state: 'LATE', until } : { state: 'SOON' };
}

/** After this nothing of it comes any more. */
export function comesUntil({ family, sentAt, payBy }: Sending): number {
  return (family === 'SOLANA' ? Math.min(payBy, sentAt + SOLANA_LIFE_MS) : payBy) + MARGIN_MS;
}
