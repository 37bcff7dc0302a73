/**
 * Sends one call. Each attempt has a timeout, and attempts without a final result are retried. All attempts of a write have the
 * same idempotency key, so that it takes effect only once, however often it is sent.
 */
import { type Connection, isBrowser, VERSION } from './connection.ts';
import { delay } from './delay.ts';
import { SluiceApiError, SluiceConnectionError, SluiceError, SluiceTimeoutError } from './errors.ts';
import type { RequestOptions } from './request-options.ts';

export type Call = {
  method: string;
  path: string;
  query?: Record<string, unknown> | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of a JSON body. */
  file?: Blob | undefined;
  headers?: Record<string, string>;
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** If the gateway requests a longer delay, the call rejects instead of waiting. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Resolves to a successful response; otherwise rejects with a `SluiceError` or the signal's reason. */
export async function send(connection: Connection, call: Call, options: RequestOptions = {}): Promise<Response> {
  const retries = options.maxRetries ?? connection.maxRetries;
  const request = { ...call, headers: { ...call.headers, ...options.headers } };
  let wasUnanswered = false;
  for (let attempt = 0; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      return await attemptOnce(connection, request, options);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      // An earlier attempt, whose response was lost, has deleted it, so the call has succeeded.
      if (wasUnanswered && call.method === 'DELETE' && isMissing(error)) return new Response(null, { status: 204 });
      wasUnanswered ||= error instanceof SluiceConnectionError;
      const waitMs = waitBefore(attempt, error);
      if (!error.retryable || attempt >= retries || waitMs > LONGEST_RETRY_AFTER_MS) throw error;
      await delay(waitMs, options.signal);
    }
  }
}

async function attemptOnce(connection: Connection, call: Call, options: RequestOptions): Promise<Response> {
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const signal = options.signal ? AbortSignal.any([limit.signal, options.signal]) : limit.signal;
  try {
    const response = await connection.fetch(addressOf(connection, call), {
      method: call.method,
      headers: headersOf(connection, call),
      // Credentials are sent in headers, so a browser must not send cookies. Edge workers do not support the option.
      ...(isBrowser() ? { credentials: 'omit' } : {}),
      // A redirect would carry the key to another host; it is reported as an error.
      redirect: 'manual',
      signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(call.file === undefined ? {} : { body: call.file }),
    });
    if (!response.ok) throw await readError(response);
    if (!/json/.test(response.headers.get('content-type') ?? '')) return response;
    // The body is read here, so that the timeout covers it.
    const { status, headers } = response;
    return new Response(await response.text(), { status, headers });
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    if (options.signal?.aborted) throw options.signal.reason;
    const place = `${call.method} ${call.path}`;
    if (limit.signal.aborted) throw new SluiceTimeoutError(`${place} had no response within ${timeoutMs} ms.`, error);
    throw new SluiceConnectionError(`${place} had no response: ${reasonOf(error)}`, error);
  } finally {
    clearTimeout(timer);
  }
}

function addressOf({ baseUrl }: Connection, { path, query = {} }: Call): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
  );
  const search = new URLSearchParams(pairs).toString();
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
}

export function headersOf(
  { credentials }: Connection,
  call: Pick<Call, 'body' | 'file' | 'headers'>,
): Record<string, string> {
  return {
    accept: 'application/json',
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.file === undefined ? {} : { 'content-type': call.file.type || 'application/octet-stream' }),
    // A browser ignores the user agent that a page sets, or requires a preflight that permits the header.
    ...(isBrowser() ? {} : { 'user-agent': `sluice-sdk/${VERSION}` }),
    ...credentials,
    ...call.headers,
  };
}

/** A response that is not the gateway's, such as a proxy's page, has the code UNEXPECTED_RESPONSE. */
export async function readError(response: Response): Promise<SluiceApiError> {
  const text = await response.text();
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  const body = parse(text)?.error;
  if (typeof body?.code !== 'string') {
    const message = `The response with status ${response.status} is not from the gateway: ${text.slice(0, 200)}`;
    return new SluiceApiError({
      code: 'UNEXPECTED_RESPONSE',
      message,
      status: response.status,
      requestId,
      retryAfterMs,
    });
  }
  const { code, message = code, param, details } = body;
  return new SluiceApiError({
    ...{ code, message, param, details, retryAfterMs },
    status: response.status,
    requestId: body.requestId ?? requestId,
  });
}

type ErrorBody = {
  code: string;
  message?: string;
  param?: string;
  details?: { param: string; message: string }[];
  requestId?: string;
};

function parse(text: string): { error?: Partial<ErrorBody> } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads Retry-After, which contains seconds or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
}

/** The delay doubles after each attempt, with jitter of up to one half, so that clients that failed together do not retry together. */
function waitBefore(attempt: number, error: SluiceError): number {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
  const own = longest * (0.5 + Math.random() / 2);
  return error instanceof SluiceApiError ? Math.max(error.retryAfterMs ?? 0, own) : own;
}

function isMissing(error: SluiceError): boolean {
  return error instanceof SluiceApiError && error.code === 'NOT_FOUND';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
