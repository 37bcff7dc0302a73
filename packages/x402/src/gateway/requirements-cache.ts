/** Requirements are reused until shortly before they expire. Requests for the same ones that arrive together make one call. */
import type { PaymentRequirements } from '@x402/core/types';
import type { GatewayClient, RequirementsRequest } from './gateway-client.ts';

/** A client still needs time to sign what it is offered. */
const LEFT_WHEN_OFFERED_MS = 10_000;
/** Entries; the least recently made goes first. */
const LARGEST_CACHE = 1_000;

type Entry = { accepts: PaymentRequirements[]; usableUntil: number };

export type RequirementsCache = (request: RequirementsRequest) => Promise<PaymentRequirements[]>;

export function cacheRequirements(gateway: Pick<GatewayClient, 'requirements'>): RequirementsCache {
  const entries = new Map<string, Entry>();
  const flights = new Map<string, Promise<PaymentRequirements[]>>();

  async function load(key: string, request: RequirementsRequest): Promise<PaymentRequirements[]> {
    const { accepts, validForMs } = await gateway.requirements(request);
    const usableForMs = Math.max(validForMs - LEFT_WHEN_OFFERED_MS, Math.floor(validForMs / 2));
    entries.delete(key);
    entries.set(key, { accepts, usableUntil: performance.now() + usableForMs });
    const oldest = entries.size > LARGEST_CACHE ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    return accepts;
  }

  return async (request) => {
    const key = JSON.stringify(request);
    const entry = entries.get(key);
    if (entry && entry.usableUntil > performance.now()) return entry.accepts;
    const flight = flights.get(key) ?? load(key, request).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
}
