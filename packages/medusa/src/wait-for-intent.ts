/** Waits for a transaction that is already under way, by reading the payment intent. */
import type { Sluice } from '@sluice/sdk';
import type { Intent } from './payment-state.ts';

export type ProviderWorld = { sluice: Sluice; finalityTimeoutMs: number };

const POLL_MS = 1000;

/** Reads the intent until `isOver`, for `finalityTimeoutMs` at most, and resolves to it as last read. */
export async function waitForIntent(
  { sluice, finalityTimeoutMs }: ProviderWorld,
  id: string,
  isOver: (intent: Intent) => boolean,
): Promise<Intent> {
  const until = performance.now() + finalityTimeoutMs;
  let intent = await sluice.paymentIntents.get(id);
  while (!isOver(intent) && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    intent = await sluice.paymentIntents.get(id);
  }
  return intent;
}
