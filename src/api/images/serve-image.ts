/**
 * GET /images/<signature>/<URL in base64url>: fetches a merchant's image for a payer, who therefore does not contact the merchant's host.
 */
import type { ServerResponse } from 'node:http';
import { imageUrlOf } from '../../auth/tokens/image-address.ts';
import { nameRoute } from '../../platform/http-call.ts';
import { fetchBytes } from '../../platform/outbound/fetch-bytes.ts';
import { endWhenUnread } from '../end-when-unread.ts';
import type { Gate } from '../gate.ts';
import type { World } from '../graphql/server/world.ts';
import type { HttpHandler } from '../start-api.ts';
import { hostPlaces } from './host-places.ts';
import { rasterType } from './raster-type.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_REDIRECTS = 3;
/** Limits per process. If a page shows more images of one host than are fetched at once, the others wait, because browsers do not retry. */
const PLACES = { inAll: 20, ofHost: 4, waitingInAll: 60, waitingOfHost: 20, waitMs: TIMEOUT_MS };
/** Maximum number of responses that are complete but not read yet, because they take memory. */
const MAX_UNREAD = 40;

const guards = {
  // An image that is opened as a document must not run or load anything.
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  // Mails show logos in pages of other origins.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
};

type ImageWorld = Pick<World, 'config' | 'secretKeys' | 'log'>;

/**
 * Responds with 404 to an invalid signature, and with 502, without details from the host, if the host fails, has a private address, or does
 * not send a PNG, JPEG, WebP, GIF or AVIF of at most 2 MiB within five seconds. At most 20 images are fetched at once, 4 of them from one
 * host. Others wait, and receive 503 after five seconds, or at once if 60 calls wait, 20 of them for the same host, or while 40 responses
 * are unread. Concurrent requests for the same image share one fetch. Requests are counted by address, as calls without a key are.
 */
export function serveImage(world: ImageWorld, gate: Gate): HttpHandler {
  const running = new Map<string, Promise<Image | 502 | 503>>();
  const places = hostPlaces(PLACES);
  let unread = 0;
  return async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const method = request.method ?? 'GET';
    if (!path.startsWith('/images/') || (method !== 'GET' && method !== 'HEAD')) return false;
    nameRoute(response, '/images/:signature/:url');
    const forwardedFor = request.headers['x-forwarded-for'];
    const { refusal } = await gate.admit({
      method,
      headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
      remoteAddress: request.socket.remoteAddress,
    });
    if (refusal !== undefined) return refuse(response, 429);
    const url = imageUrlOf(world.secretKeys, path);
    if (url === null) return refuse(response, 404);
    if (unread >= MAX_UNREAD) return refuse(response, 503);
    const image = await (running.get(url) ?? begin(url));
    // A response that is already closed emits no further `close` event and would be counted forever.
    if (response.destroyed) return true;
    if (typeof image === 'number') return refuse(response, image);
    unread += 1;
    response.once('close', () => {
      unread -= 1;
    });
    endWhenUnread(response);
    response.writeHead(200, {
      ...guards,
      'content-type': image.type,
      'content-length': image.bytes.length,
      'cache-control': 'public, max-age=86400',
    });
    response.end(method === 'HEAD' ? undefined : image.bytes);
    return true;
  };

  function begin(url: string): Promise<Image | 502 | 503> {
    const fetched = places
      .within(new URL(url).host, async () => (await fetchImage(world, url)) ?? 502)
      .then((image) => image ?? 503)
      .finally(() => running.delete(url));
    running.set(url, fetched);
    return fetched;
  }
}

type Image = { bytes: Buffer; type: string };

async function fetchImage(world: ImageWorld, url: string): Promise<Image | null> {
  try {
    const bytes = await fetchBytes({
      url,
      accept: 'image/avif, image/webp, image/png, image/jpeg, image/gif',
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: MAX_REDIRECTS,
      privateAddresses: world.config.webhooks.privateAddresses,
    });
    const type = rasterType(bytes);
    return type === null ? null : { bytes, type };
  } catch (error) {
    world.log.info({ err: error }, "A merchant's image could not be fetched.");
    return null;
  }
}

function refuse(response: ServerResponse, status: 404 | 429 | 502 | 503): true {
  const again = status === 429 || status === 503 ? { 'retry-after': '1' } : {};
  response.writeHead(status, { ...guards, ...again, 'content-length': 0, 'cache-control': 'no-store' });
  response.end();
  return true;
}
