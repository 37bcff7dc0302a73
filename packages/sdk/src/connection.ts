/** Where the gateway is and who calls it; checked once, when the client is made. */
import { SluiceUsageError } from './errors.ts';

export type SluiceOptions = {
  /** Where the installation is reached, such as `https://pay.example.com`. */
  baseUrl: string;
  /** A secret key, for servers only; or a publishable key, which reads prices. */
  apiKey?: string;
  /** A checkout session's client secret: the only credential for a payer's browser. */
  clientSecret?: string;
  /** The token of a dashboard member. */
  accessToken?: string;
  /** For one attempt. Defaults to 30 s; the gateway itself waits up to 10 s for a concurrent call with the same key. */
  timeoutMs?: number;
  /** Retries after the first attempt. Defaults to 3. */
  maxRetries?: number;
  /** Defaults to the platform's. */
  fetch?: typeof fetch;
  /** How live updates travel. `auto` prefers a websocket and takes server-sent events where no socket opens. */
  liveTransport?: 'auto' | 'websocket' | 'sse';
};

export type Connection = {
  baseUrl: string;
  credentials: Record<string, string>;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
  liveTransport: 'auto' | 'websocket' | 'sse';
};

export const VERSION = '0.1.0';
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 3;

export function openConnection(options: SluiceOptions): Connection {
  return {
    baseUrl: baseUrlOf(options.baseUrl),
    credentials: credentialsOf(options),
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxRetries: options.maxRetries ?? DEFAULT_RETRIES,
    // Browsers refuse a `fetch` that is called as another object's method.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    liveTransport: options.liveTransport ?? 'auto',
  };
}

function baseUrlOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new SluiceUsageError('baseUrl is not an http(s) address, such as https://pay.example.com.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function credentialsOf({ apiKey, clientSecret, accessToken }: SluiceOptions): Record<string, string> {
  const given = [apiKey, clientSecret, accessToken].filter((one) => one !== undefined);
  if (given.length > 1) throw new SluiceUsageError('Give one of apiKey, clientSecret and accessToken.');
  if (given.some((one) => one.trim() === '')) throw new SluiceUsageError('The credential is empty.');
  if (given.some((one) => one.startsWith('sk_')) && isBrowser()) {
    throw new SluiceUsageError(
      'A secret key must never reach a browser, where anyone can read it. Revoke it if it did, and give the browser a checkout session’s clientSecret.',
    );
  }
  if (apiKey !== undefined) return { 'x-api-key': apiKey };
  if (clientSecret !== undefined) return { 'x-client-secret': clientSecret };
  if (accessToken !== undefined) return { authorization: `Bearer ${accessToken}` };
  return {};
}

/** Servers and workers at the edge name themselves in `navigator`; pages and their workers say Mozilla. */
export function isBrowser(): boolean {
  const { document, navigator } = globalThis as { document?: unknown; navigator?: { userAgent?: string } };
  return document !== undefined || (navigator?.userAgent ?? '').startsWith('Mozilla/');
}
