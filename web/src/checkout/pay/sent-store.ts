/**
 * Keeps a transaction that the wallet sent in this tab until the API has received it, and the time until which a transaction may appear
 * that the wallet neither confirmed nor denied sending. A reload loses neither.
 */
import type { Sent } from './payment-state.ts';

const PREFIX = 'sluice.sent.';
const UNSURE_PREFIX = 'sluice.unsure.';

export function keepSent(sessionId: string, sent: Sent | undefined): void {
  if (sent) sessionStorage.setItem(PREFIX + sessionId, JSON.stringify(sent));
  else sessionStorage.removeItem(PREFIX + sessionId);
}

export function readSent(sessionId: string): Sent | undefined {
  const text = sessionStorage.getItem(PREFIX + sessionId);
  if (text === null) return undefined;
  try {
    const { quoteId, chainId, txHash, sentAt, payBy } = JSON.parse(text);
    const isComplete = [quoteId, txHash].every(isText) && [chainId, sentAt, payBy].every(Number.isSafeInteger);
    return isComplete ? { quoteId, chainId, txHash, sentAt, payBy } : undefined;
  } catch {
    return undefined;
  }
}

export function keepUnsure(sessionId: string, until: number | undefined): void {
  if (until === undefined) sessionStorage.removeItem(UNSURE_PREFIX + sessionId);
  else sessionStorage.setItem(UNSURE_PREFIX + sessionId, String(until));
}

export function readUnsure(sessionId: string): number | undefined {
  const until = Number(sessionStorage.getItem(UNSURE_PREFIX + sessionId) ?? Number.NaN);
  return Number.isSafeInteger(until) ? until : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
