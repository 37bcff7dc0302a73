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
    const { quoteId, chainId, txHash, sentAt, payBy } = JSON.parse(text);
    const isWhole = [quoteId, txHash].every(isText) && [chainId, sentAt, payBy].every(Number.isSafeInteger);
    return isWhole ? { quoteId, chainId, txHash, sentAt, payBy } : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
