/**
 * Fetches one file from a foreign host by GET, with limits on time, size and redirects, and never from a private network unless
 * allowed.
 */
import type { IncomingMessage } from 'node:http';
import { foreignRequest } from './foreign-request.ts';

export type FetchOptions = {
  /** http or https. */
  url: string;
  /** The Accept header. */
  accept: string;
  /** For the whole fetch, including redirects. */
  timeoutMs: number;
  maxBytes: number;
  maxRedirects: number;
  privateAddresses: boolean;
};

/** The response is unusable: its status is not 200, it is too large, or there were too many redirects. */
export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError';
}

/**
 * Every redirect is checked in the same way as the first address. Throws ForeignFileError, PrivateAddressError or a network
 * error.
 */
export async function fetchBytes(options: FetchOptions): Promise<Buffer> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  let url = options.url;
  for (let redirects = 0; redirects <= options.maxRedirects; redirects += 1) {
    const response = await get(new URL(url), options, signal);
    const { statusCode: status = 0 } = response;
    const { location } = response.headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      response.destroy();
      if (!URL.canParse(location, url)) throw new ForeignFileError('The redirect leads nowhere.');
      url = new URL(location, url).href;
      continue;
    }
    if (status === 200) return await bodyOf(response, options.maxBytes);
    response.destroy();
    throw new ForeignFileError(`The response status was ${status}.`);
  }
  throw new ForeignFileError(`More than ${options.maxRedirects} redirects.`);
}

function get(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new ForeignFileError('Only http and https.');
  const headers = { accept: options.accept, 'accept-encoding': 'identity', 'user-agent': 'Sluice' };
  return foreignRequest({ url, method: 'GET', headers, signal, privateAddresses: options.privateAddresses });
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new ForeignFileError(`More than ${maxBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
