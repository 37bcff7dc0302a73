/**
 * Sends a JSON body to a foreign host by POST, with limits on time and on the size of the response, without following redirects,
 * and never into a private network unless allowed.
 */
import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { foreignRequest } from './foreign-request.ts';

export type PostOptions = {
  url: string;
  body: string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** Bytes of the response that are kept; the rest is read and dropped, up to 64 times this size. */
  keptBytes: number;
  privateAddresses: boolean;
  agents?: { http: HttpAgent; https: HttpsAgent };
};

export type PostAnswer = { status: number; body: string; latencyMs: number };

/** Resolves with any status, including redirects; rejects if no response arrived in time. */
export async function postJson(options: PostOptions): Promise<PostAnswer> {
  const startedAt = performance.now();
  const headers = {
    'content-type': 'application/json',
    ...options.headers,
    'content-length': Buffer.byteLength(options.body),
  };
  const response = await foreignRequest({
    url: new URL(options.url),
    method: 'POST',
    headers,
    body: options.body,
    signal: AbortSignal.timeout(options.timeoutMs),
    privateAddresses: options.privateAddresses,
    agents: options.agents,
  });
  const body = await startOf(response, options.keptBytes);
  return { status: response.statusCode ?? 0, body, latencyMs: Math.round(performance.now() - startedAt) };
}

/** The first `keptBytes` bytes of the response as text. An endless response is abandoned; one that breaks off is an error. */
async function startOf(response: IncomingMessage, keptBytes: number): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (size < keptBytes) kept.push(chunk);
    size += chunk.length;
    if (size > keptBytes * 64) break;
  }
  return Buffer.concat(kept).subarray(0, keptBytes).toString('utf8');
}
