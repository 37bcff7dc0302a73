/** The address of the gateway and the caller's credential, which are validated when the client is created. */
import { SluiceUsageError } from './errors.ts';

export type SluiceOptions = {
  /** The URL of the installation, such as `https://pay.example.com`. */
  baseUrl: string;
  /** A secret key, for servers only, or a publishable key, which can only read prices. */
  apiKey?: string;
  /** The client secret of a checkout session, the only credential for a payer's browser. */
  clientSecret?: string;
  /** The token of a dashboard member. */
  accessToken?: string;
  /** Timeout of one attempt. Defaults to 30 s. The gateway waits up to 10 s for a concurrent call with the same idempotency key. */
  timeoutMs?: number;
  /** Retries after the first attempt. Defaults to 3. */
  maxRetries?: number;
  /** Defaults to the global `fetch`. */
  fetch?: typeof fetch;
  /** Transport of live updates. `auto` uses a WebSocket, and server-sent events where no WebSocket can be opened. */
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
    // Browsers throw if `fetch` is called as a method of another object.
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

/** Servers and edge workers name themselves in `navigator`; the user agent of pages and their workers begins with Mozilla. */
export function isBrowser(): boolean {
  const { document, navigator } = globalThis as { document?: unknown; navigator?: { userAgent?: string } };
  return document !== undefined || (navigator?.userAgent ?? '').startsWith('Mozilla/');
}
