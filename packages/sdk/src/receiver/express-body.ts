/** Reads the raw body of a request of Express or of Node's own server. */
import { SluiceUsageError } from '../errors.ts';

/** The part of an Express request that is used: Node's request, with a body if a middleware has parsed it. */
export type ExpressRequest = AsyncIterable<Uint8Array> & {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
};
export type ExpressResponse = { writeHead(status: number): { end(): unknown } };
export type ExpressNext = (error?: unknown) => void;

/** Bodies from the gateway have a few kilobytes. */
export const LARGEST_BODY = 1024 * 1024;

export async function readExpressBody(request: ExpressRequest): Promise<{ body: Uint8Array; headers: Headers }> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return { body: await bytesOf(request), headers };
}

async function bytesOf(request: ExpressRequest): Promise<Uint8Array> {
  const { body } = request;
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body !== undefined) {
    throw new SluiceUsageError(
      'The body of the webhook was parsed before it reached the receiver, so that its signature cannot be checked. Mount the receiver before express.json(), or use express.raw({ type: "*/*" }) for its path.',
    );
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LARGEST_BODY) throw new SluiceUsageError('The body is larger than a webhook can be.');
    chunks.push(chunk);
  }
  const joined = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
