/** One POST of a JSON body to a foreign host: bounded in time and answer, without redirects, and never into a private network unless allowed. */
import { type Agent as HttpAgent, request as httpRequest } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { guardedLookup, isPublicAddress, PrivateAddressError } from './public-address.ts';

export type PostOptions = {
  url: string;
  body: string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** Bytes of the answer that are kept; the rest is read and dropped up to this many times 64. */
  keptBytes: number;
  privateAddresses: boolean;
  agents?: { http: HttpAgent; https: HttpsAgent };
};

export type PostAnswer = { status: number; body: string; latencyMs: number };

/** Resolves with whatever status came, redirects included; rejects when no answer came in time. */
export function postJson(options: PostOptions): Promise<PostAnswer> {
  const url = new URL(options.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!options.privateAddresses && isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.reject(new PrivateAddressError(`${host} is not a public address.`));
  }
  const startedAt = performance.now();
  const isHttps = url.protocol === 'https:';
  const send = isHttps ? httpsRequest : httpRequest;
  const agent = isHttps ? options.agents?.https : options.agents?.http;
  const headers = {
    'content-type': 'application/json',
    ...options.headers,
    'content-length': Buffer.byteLength(options.body),
  };
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method: 'POST',
        headers,
        agent,
        lookup: guardedLookup(options),
        signal: AbortSignal.timeout(options.timeoutMs),
      },
      (response) => {
        const kept: Buffer[] = [];
        let size = 0;
        const finish = () => {
          const body = Buffer.concat(kept).subarray(0, options.keptBytes).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body, latencyMs: Math.round(performance.now() - startedAt) });
        };
        response.on('data', (chunk: Buffer) => {
          if (size < options.keptBytes) kept.push(chunk);
          size += chunk.length;
          if (size > options.keptBytes * 64) {
            finish();
            response.destroy();
          }
        });
        response.on('end', finish);
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}
