/** Serves emails with example content as pages. Their address is returned by GraphQL; they show nothing but the branding of an app. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { brandOf, ownBrand } from '../events/mails/mail-brand.ts';
import { isMailKind, type MailKind, type MailLanguage, mailLanguageOf } from '../events/mails/mail-kind.ts';
import { type PrintedMail, printMail } from '../events/mails/print-mail.ts';
import { sampleContent } from '../events/mails/sample-content.ts';
import { nameRoute } from '../platform/http-call.ts';
import { type AddressGate, refusalByAddress } from './gate.ts';
import type { World } from './graphql/server/world.ts';
import type { HttpHandler } from './start-api.ts';

const PATH = /^\/mail-preview\/([0-9a-f-]{36})\/([A-Z_]{1,40})\/(en|de)$/;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  // Emails have inline styles. Links in the example lead nowhere, and the sandbox prevents scripts.
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

const sentences: Record<number, string> = {
  404: 'There is no such preview.',
  405: 'This address takes GET.',
  429: 'Too many requests; try again in a moment.',
};

type Preview = { appId: string; kind: MailKind; language: MailLanguage };
type PreviewWorld = Pick<World, 'database' | 'clock' | 'config' | 'secretKeys'>;

/** An address of this installation. */
export function previewPath(world: Pick<World, 'secretKeys'>, { appId, kind, language }: Preview): string {
  const path = `/mail-preview/${appId}/${kind}/${language}`;
  return `${path}?token=${tokenOf(world, path)}`;
}

export type PreviewedApp = Parameters<typeof brandOf>[1];

export function printPreview(
  world: Omit<PreviewWorld, 'database'>,
  { app, kind, language }: { app: PreviewedApp; kind: MailKind; language: MailLanguage },
): PrintedMail {
  const content = sampleContent(kind, { appName: app.name, now: world.clock.now() });
  const brand = content.appName === null ? ownBrand : brandOf(world, app);
  const isOptional = kind.startsWith('MEMBER_') || kind === 'RENEWAL_REMINDER';
  const links = { action: '#', unsubscribe: isOptional ? '#' : null };
  return printMail({ kind, language, content, brand, links });
}

/** The response is the same for a wrong token and a missing app. Requests are rate-limited by address, as calls without a key are. */
export function serveMailPreview(world: PreviewWorld, gate: AddressGate): HttpHandler {
  return async (request, response) => {
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const [, appId, kind, language] = PATH.exec(path) ?? [];
    if (appId === undefined || kind === undefined) return false;
    nameRoute(response, '/mail-preview/:appId/:kind/:language');
    const method = request.method ?? 'GET';
    const refusal = await refusalByAddress(gate, request);
    const [own, given] = [tokenOf(world, path), new URLSearchParams(search).get('token') ?? ''].map((token) =>
      Buffer.from(token ?? ''),
    );
    const isOwn =
      own !== undefined && given !== undefined && own.length === given.length && timingSafeEqual(own, given);
    const app = isOwn
      ? await world.database.app.findUnique({ where: { id: appId }, include: { mailSettings: true } })
      : null;
    const isReading = method === 'GET' || method === 'HEAD';
    const status = refusal !== undefined ? 429 : !isReading ? 405 : app && isMailKind(kind) ? 200 : 404;
    const html =
      status === 200 && app && isMailKind(kind)
        ? printPreview(world, { app, kind, language: mailLanguageOf(language) ?? 'en' }).html
        : `<!doctype html><title>${status}</title><p>${sentences[status]}</p>\n`;
    if (status === 405) response.setHeader('allow', 'GET, HEAD');
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(html) });
    response.end(method === 'HEAD' ? undefined : html);
    return true;
  };
}

function tokenOf({ secretKeys }: Pick<World, 'secretKeys'>, path: string): string {
  return createHmac('sha256', secretKeys.unsubscribing).update(`preview ${path}`).digest('base64url');
}
