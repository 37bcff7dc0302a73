/** A transaction that the wallet sent, kept for this tab until the API was told of it: a reload in between loses nothing. */
import type { Sent } from './payment-state.ts';

const PREFIX = 'sluice.sent.';

export function keepSent(sessionId: string, sent: Sent | undefined): void {
  if (sent) sessionStorage.setItem(PREFIX + sessionId, JSON.stringify(sent));
  else sessionStorage.removeItem(PREFIX + sessionId);
}

export function readSent(sessionId: string): Sent | undefined {
  const text = sessionStorage.getItem(PREFIX + sessionId);
  if (text === null) return undefined;
  try {
    const { quoteId, txHash } = JSON.parse(text);
    return typeof quoteId === 'string' && typeof txHash === 'string' ? { quoteId, txHash } : undefined;
  } catch {
    return undefined;
  }
}
