/**
 * Requirements are reused until shortly before they expire. Requests for the same ones that arrive together make one call.
 *
 * A resource is named by its URL, and any client can send any `Host` header. Memory and calls are therefore bounded: hosts without a
 * verified payment share a budget of calls, so that made-up hosts neither flood the gateway nor displace the hosts of paying clients.
 */
import type { PaymentRequirements } from '@x402/core/types';
import type { GatewayClient, RequirementsRequest } from './gateway-client.ts';
import { X402GatewayError } from './gateway-error.ts';

/** A client still needs time to sign what it is offered. */
const MIN_VALIDITY_MS = 10_000;
/** Maximum number of entries. The least recently used one is evicted first. */
const LARGEST_CACHE = 1_000;
/** Calls to the gateway at once. */
const LARGEST_FLIGHTS = 500;
/** Maximum number of hosts with a verified payment. The least recently paid one is evicted first. */
const LARGEST_HOSTS = 100;
/** Limits for calls for hosts without a verified payment: concurrent calls, and calls per second. */
export const STRANGE_BURST = 1_000;
export const STRANGE_PER_SECOND = 20;
/** The limit is reported once in this time. */
const REPORTED_EVERY_MS = 60_000;

type Entry = { accepts: PaymentRequirements[]; usableUntil: number };

export type RequirementsCache = {
  /** Throws X402GatewayError, also where a limit is reached. */
  get(request: RequirementsRequest): Promise<PaymentRequirements[]>;
  /** A payment for this resource was verified, so its host is a real one. */
  trust(resourceUrl: string): void;
};

type Options = { publicUrl?: string | undefined; now?: () => number };

export function cacheRequirements(
  gateway: Pick<GatewayClient, 'requirements'>,
  { publicUrl, now = () => performance.now() }: Options = {},
): RequirementsCache {
  const entries = new Map<string, Entry>();
  const flights = new Map<string, Promise<PaymentRequirements[]>>();
  const hosts = new Set<string>();
  const ownHost = publicUrl === undefined ? undefined : hostOf(publicUrl);
  let budget = { calls: STRANGE_BURST, at: now() };
  let reportedAt = Number.NEGATIVE_INFINITY;

  async function load(key: string, request: RequirementsRequest): Promise<PaymentRequirements[]> {
    const { accepts, validForMs } = await gateway.requirements(request);
    const usableForMs = Math.max(validForMs - MIN_VALIDITY_MS, Math.floor(validForMs / 2));
    put(entries, key, { accepts, usableUntil: now() + usableForMs });
    const oldest = entries.size > LARGEST_CACHE ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    return accepts;
  }

  /** Whether the call is within the limits, and counts it. */
  function admit({ resource }: RequirementsRequest): boolean {
    if (flights.size >= LARGEST_FLIGHTS) return false;
    const host = hostOf(resource.url);
    if (host === ownHost || hosts.has(host)) return true;
    const at = now();
    const calls = Math.min(STRANGE_BURST, budget.calls + ((at - budget.at) / 1_000) * STRANGE_PER_SECOND);
    budget = { calls: calls < 1 ? calls : calls - 1, at };
    return calls >= 1;
  }

  function limitFault(): X402GatewayError {
    const isSilent = now() - reportedAt < REPORTED_EVERY_MS;
    if (!isSilent) reportedAt = now();
    const message =
      'Too many requirements were requested at once, perhaps for Host headers that clients made up. Set publicUrl if this server has one address.';
    return new X402GatewayError(message, { isAway: true, code: 'TOO_MANY_RESOURCES', isSilent });
  }

  return {
    get: async (request) => {
      const key = JSON.stringify(request);
      const entry = entries.get(key);
      if (entry && entry.usableUntil > now()) {
        put(entries, key, entry);
        return entry.accepts;
      }
      const known = flights.get(key);
      if (known) return known;
      if (!admit(request)) throw limitFault();
      const flight = load(key, request).finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
    trust: (resourceUrl) => {
      const host = hostOf(resourceUrl);
      hosts.delete(host);
      hosts.add(host);
      const [oldest] = hosts.size > LARGEST_HOSTS ? hosts : [];
      if (oldest !== undefined) hosts.delete(oldest);
    },
  };
}

/** Makes it the newest. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
