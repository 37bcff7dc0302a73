/** The page that the unsubscribe links of emails open. GET asks for confirmation, and POST unsubscribes (one-click, RFC 8058). */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Subscriber, unsubscribeTokenMatches } from '../events/mails/mail-links.ts';
import { unsubscribe } from '../events/mails/unsubscribe.ts';
import { pageStyle } from '../invoices/page/page-style.ts';
import { nameRoute } from '../platform/http-call.ts';
import { type AddressGate, refusalByAddress } from './gate.ts';
import type { World } from './graphql/server/world.ts';
import type { HttpHandler } from './start-api.ts';

const PATH = /^\/unsubscribe\/(customer|member)\/([0-9a-f-]{36})\/([A-Z_]{1,40})$/;
const styleHash = createHash('sha256').update(pageStyle).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** The response is the same for a wrong token and a missing subscriber. Requests are rate-limited by address, like calls without a key. */
export function serveUnsubscribe(
  world: Pick<World, 'database' | 'clock' | 'secretKeys'>,
  gate: AddressGate,
): HttpHandler {
  return async (request, response) => {
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const [, who, id, kind] = PATH.exec(path) ?? [];
    if (who === undefined || id === undefined || kind === undefined) return false;
    nameRoute(response, '/unsubscribe/:who/:id/:kind');
    const method = request.method ?? 'GET';
    const refusal = await refusalByAddress(gate, request);
    if (refusal !== undefined) return answer(response, 429, page('Too many requests', 'Try again in a moment.'));
    const subscriber: Subscriber = { who: who === 'member' ? 'member' : 'customer', id, kind };
    const token = new URLSearchParams(search).get('token') ?? '';
    if (!unsubscribeTokenMatches(world.secretKeys, subscriber, token)) {
      return answer(response, 404, page('No such link', 'The address is incomplete or invalid.'));
    }
    if (method === 'POST') {
      await unsubscribe(world, subscriber);
      return answer(response, 200, page('You are unsubscribed', 'You will not receive these emails any more.'));
    }
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD, POST');
      return answer(response, 405, page('Method not allowed', 'This address accepts GET and POST.'));
    }
    const form = '<form method="post"><button type="submit">Unsubscribe</button></form>';
    return answer(
      response,
      200,
      page('Unsubscribe', 'Do you want to stop receiving these emails?', form),
      method === 'HEAD',
    );
  };
}

function answer(response: ServerResponse, status: number, body: string, isHead = false): true {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(isHead ? undefined : body);
  return true;
}

/** All arguments are fixed texts. */
function page(title: string, sentence: string, form = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${pageStyle}</style></head><body><main><h1>${title}</h1><p>${sentence}</p>${form}</main></body></html>\n`;
}
