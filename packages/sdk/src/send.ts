/**
 * One call: attempts with a time limit each, and retries of what failed without a verdict. A write keeps its idempotency
 * key over all of them, so that its effect happens once however often it is sent.
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
  /** Sent as it is, instead of a body. */
  file?: Blob | undefined;
  headers?: Record<string, string>;
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A gateway that asks for a longer pause is reported, not waited for. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Resolves to the answer if it is a success, and otherwise rejects with a `SluiceError` or the signal's reason. */
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
      // The attempt without an answer has removed it: what the caller wanted is so.
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
      // Credentials are headers: a browser's cookies have no part in this. Workers at the edge refuse the option.
      ...(isBrowser() ? { credentials: 'omit' } : {}),
      // A redirect would carry the key to another host; it is reported as an error.
      redirect: 'manual',
      signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(call.file === undefined ? {} : { body: call.file }),
    });
    if (!response.ok) throw await readError(response);
    if (!/json/.test(response.headers.get('content-type') ?? '')) return response;
    // Read here, so that the time limit holds for the body too.
    const { status, headers } = response;
    return new Response(await response.text(), { status, headers });
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    if (options.signal?.aborted) throw options.signal.reason;
    const place = `${call.method} ${call.path}`;
    if (limit.signal.aborted) throw new SluiceTimeoutError(`${place} had no answer within ${timeoutMs} ms.`, error);
    throw new SluiceConnectionError(`${place} had no answer: ${reasonOf(error)}`, error);
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
    // A page may not name itself, and asking would cost its requests a permission.
    ...(isBrowser() ? {} : { 'user-agent': `sluice-sdk/${VERSION}` }),
    ...credentials,
    ...call.headers,
  };
}

/** An answer that is not the gateway's, such as a proxy's page, has the code UNEXPECTED_RESPONSE. */
export async function readError(response: Response): Promise<SluiceApiError> {
  const text = await response.text();
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  const body = parse(text)?.error;
  if (typeof body?.code !== 'string') {
    const message = `The answer with status ${response.status} is not the gateway's: ${text.slice(0, 200)}`;
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

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
}

/** Twice as long after each attempt, and up to a half less, so that clients that failed together do not return together. */
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
