/** The page that the unsubscribe links of emails open. GET asks for confirmation, and POST unsubscribes (one-click, RFC 8058). */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Subscriber, unsubscribeTokenMatches } from '../events/mails/mail-links.ts';
import { unsubscribe } from '../events/mails/unsubscribe.ts';
import { pageStyle } from '../invoices/page/page-style.ts';
import { nameRoute } from '../platform/http-call.ts';
import { type AddressGate, refusalByAddress } from './gate.ts';
import type { World } from './graphql/server/world.ts';
import { languageOf, type PageLanguage } from './page-language.ts';
import type { HttpHandler } from './start-api.ts';

const PATH = /^\/unsubscribe\/(customer|member)\/([0-9a-f-]{36})\/([A-Z_]{1,40})$/;
const styleHash = createHash('sha256').update(pageStyle).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'private, no-store',
  vary: 'accept-language',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

type Sentence = { title: string; text: string };
type UnsubscribeWords = Record<'ask' | 'done' | 'notFound' | 'tryLater' | 'method', Sentence> & { button: string };

export const unsubscribeWords: Record<PageLanguage, UnsubscribeWords> = {
  en: {
    ask: { title: 'Unsubscribe', text: 'You will no longer receive these emails.' },
    button: 'Unsubscribe',
    done: { title: 'You are unsubscribed', text: 'You will no longer receive these emails.' },
    notFound: { title: 'Link not found', text: 'The link is incomplete or invalid.' },
    tryLater: { title: 'Too many requests', text: 'Please try again in a moment.' },
    method: { title: 'Request not supported', text: 'Open the link in your email again.' },
  },
  de: {
    ask: { title: 'E-Mails abbestellen', text: 'Sie erhalten diese E-Mails dann nicht mehr.' },
    button: 'Abbestellen',
    done: { title: 'E-Mails abbestellt', text: 'Sie erhalten diese E-Mails nicht mehr.' },
    notFound: { title: 'Link nicht gefunden', text: 'Der Link ist unvollständig oder ungültig.' },
    tryLater: { title: 'Zu viele Anfragen', text: 'Bitte versuchen Sie es in Kürze erneut.' },
    method: { title: 'Anfrage nicht unterstützt', text: 'Öffnen Sie den Link in Ihrer E-Mail erneut.' },
  },
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
    const language = languageOf(request.headers['accept-language']);
    const { button, ...words } = unsubscribeWords[language];
    const respond = (code: number, sentence: Sentence) => answer(response, code, page(language, sentence));
    const refusal = await refusalByAddress(gate, request);
    if (refusal !== undefined) return respond(429, words.tryLater);
    const subscriber: Subscriber = { who: who === 'member' ? 'member' : 'customer', id, kind };
    const token = new URLSearchParams(search).get('token') ?? '';
    if (!unsubscribeTokenMatches(world.secretKeys, subscriber, token)) return respond(404, words.notFound);
    if (method === 'POST') {
      await unsubscribe(world, subscriber);
      return respond(200, words.done);
    }
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD, POST');
      return respond(405, words.method);
    }
    const form = `<form method="post"><button type="submit">${button}</button></form>`;
    return answer(response, 200, page(language, words.ask, form), method === 'HEAD');
  };
}

function answer(response: ServerResponse, status: number, body: string, isHead = false): true {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(isHead ? undefined : body);
  return true;
}

/** All arguments are constants, so nothing is escaped. */
function page(language: PageLanguage, { title, text }: Sentence, form = ''): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${pageStyle}</style></head><body><main><h1>${title}</h1><p>${text}</p>${form}</main></body></html>\n`;
}
