/**
 * The only way in which requests are sent to a source. Requests are built here: the URL is below the endpoint, the headers come from the
 * configuration, and nothing from the gateway's caller is included. Response sizes are limited.
 */
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { foreignRequest } from '../../platform/outbound/foreign-request.ts';
import type { SourceSettings } from './gateway-file.ts';
import { SourceFault } from './source-fault.ts';

/** One call to a source. At most one request is made in it. */
export type SourceCall = {
  /** Generated for the call. Sent as `x-request-id`, and logged as `callId`. */
  id: string;
  /** Aborts the call at any stage. */
  signal: AbortSignal;
};

export type SourceFetch = {
  fetch(url: string, init: { method?: string; body?: unknown } | undefined, call: unknown): Promise<Response>;
  close(): void;
};

export function openSourceFetch(settings: SourceSettings): SourceFetch {
  const options = { keepAlive: true, maxSockets: settings.limits.maxConcurrency };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return {
    async fetch(url, init, call) {
      if (!isCall(call)) throw new TypeError('A source can be called only by an operation.');
      const target = targetOf(settings, url);
      const isGraphql = settings.kind === 'graphql';
      if (!isGraphql && (init?.method ?? 'GET') !== 'GET')
        throw new TypeError('Only GET requests can be sent to an OpenAPI source.');
      const body = isGraphql ? String(init?.body) : undefined;
      const headers = {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'Sluice',
        'x-request-id': call.id,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...settings.headers,
      };
      const text = await textOf({ url: target, body, headers, agents }, { settings, signal: call.signal });
      return new Response(text, { headers: { 'content-type': 'application/json' } });
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Sending = Pick<Parameters<typeof foreignRequest>[0], 'url' | 'headers' | 'agents'> & { body: string | undefined };

/** Returns the usable response body. Throws SourceFault. */
async function textOf(
  { url, headers, body, agents }: Sending,
  { settings, signal }: { settings: SourceSettings; signal: AbortSignal },
): Promise<string> {
  try {
    const response = await foreignRequest({
      url,
      method: settings.kind === 'graphql' ? 'POST' : 'GET',
      headers,
      ...(body === undefined ? {} : { body }),
      signal,
      // The operator chose the host, so private addresses are allowed.
      privateAddresses: true,
      agents,
    });
    return await usableText(response, settings);
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    if (signal.aborted)
      throw new SourceFault('timeout', 'No complete response was received in time.', { cause: error });
    throw new SourceFault('away', 'The source cannot be reached.', { cause: error });
  }
}

/** Returns the URL, which must be below the endpoint. The values in it were validated before, so this is a second line of defense. */
function targetOf({ endpoint, kind }: SourceSettings, url: string): URL {
  const base = new URL(endpoint);
  const target = new URL(url);
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  const isBelow = kind === 'graphql' ? target.pathname === base.pathname : target.pathname.startsWith(folder);
  const isSame = target.origin === base.origin && target.username === base.username && target.hash === '';
  if (!isSame || !isBelow) throw new TypeError('The URL is outside the endpoint of the source.');
  return target;
}

const FAILING = new Set([401, 403, 408, 429]);

/** Returns the body, JSON of a limited size. Throws SourceFault, or the connection's error. */
async function usableText(response: IncomingMessage, { kind, limits }: SourceSettings): Promise<string> {
  const { statusCode: status = 0 } = response;
  if (status !== 200) {
    response.destroy();
    if (status >= 300 && status < 400) throw new SourceFault('redirect', `The response status was ${status}.`);
    if (kind === 'openapi' && (status === 404 || status === 410 || status === 204)) throw missing();
    const isFailing = status < 400 || status >= 500 || FAILING.has(status);
    throw new SourceFault(isFailing ? 'status' : 'rejected', `The response status was ${status}.`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > limits.maxResponseBytes) {
      response.destroy();
      throw new SourceFault('too-large', `The response has more than ${limits.maxResponseBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const value = parsed(text);
  if (value === null && kind === 'openapi') throw missing();
  if (typeof value !== 'object' || value === null) throw new SourceFault('garbage', 'The response is not an object.');
  if (kind === 'graphql' && !('data' in value) && !('errors' in value)) {
    throw new SourceFault('garbage', 'The response is not a GraphQL response.');
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceFault('garbage', 'The response is not JSON.');
  }
}

function missing(): SourceFault {
  return new SourceFault('missing', 'There is no such object.');
}

function isCall(call: unknown): call is SourceCall {
  return typeof call === 'object' && call !== null && 'signal' in call && 'id' in call;
}
