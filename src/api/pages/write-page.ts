/** Writes the HTML of a page, with the policy under which it runs. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { chooseEncoding } from '../encoding/accept-encoding.ts';
import type { World } from '../graphql/server/world.ts';
import { languageOf, type PageLanguage } from '../page-language.ts';
import { type BuiltFile, type BuiltPages, loadBuiltPages, type PageName } from './built-pages.ts';
import { pagePolicy } from './page-policy.ts';
import { pageSettings } from './page-settings.ts';

export type PageWorld = Pick<World, 'config' | 'registry'>;

export type WrittenPage = {
  page: PageName;
  title: string;
  status: number;
  headers: OutgoingHttpHeaders;
  /** Origins that may frame the page. The page reads them as well. Without them, none may. */
  frameOrigins?: readonly string[];
};

type HtmlOptions = Pick<WrittenPage, 'page' | 'title' | 'frameOrigins'> & { language: PageLanguage };

export type PageWriter = (request: IncomingMessage, response: ServerResponse, page: WrittenPage) => void;

export function openPageWriter(world: PageWorld, built: BuiltPages | undefined = loadBuiltPages()): PageWriter {
  const settings = jsonScript('settings', printJson(pageSettings(world)));
  const pages = new Map<string, BuiltFile>();
  /** The HTML is the same for everyone and contains no secret, so it is compressed once, except where it names origins. */
  const htmlOf = (files: BuiltPages, { page, title, frameOrigins, language }: HtmlOptions): BuiltFile => {
    const head = { page, title, language };
    if (frameOrigins) {
      const frame = jsonScript('frame', printJson({ origins: frameOrigins }));
      return plainFile(pageHtml(head, files, [settings, frame]));
    }
    const key = `${page} ${language} ${title}`;
    const made = pages.get(key) ?? compressed(plainFile(pageHtml(head, files, [settings])));
    pages.set(key, made);
    return made;
  };
  return (request, response, written) => {
    const language = languageOf(request.headers['accept-language']);
    const { body, encoding } = bodyFor(request, built ? htmlOf(built, { ...written, language }) : plainFile(notBuilt));
    response.writeHead(built ? written.status : 503, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
      ...(encoding ? { 'content-encoding': encoding } : {}),
      'content-security-policy': pagePolicy(world, written.page, written.frameOrigins),
      ...written.headers,
      // A session's secret is in the fragment of the page's URL, which browsers never send. This keeps the session's id private too.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'x-robots-tag': 'noindex',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

function printJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function jsonScript(id: string, json: string): string {
  return `<script type="application/json" id="${id}">${json}</script>`;
}

type PageHead = { page: PageName; title: string; language: PageLanguage };

function pageHtml({ page, title, language }: PageHead, built: BuiltPages, json: string[]): string {
  const { scripts, styles } = built.firstFiles(page);
  const [entry, ...imported] = scripts;
  const loading = built.loadingHtml(page, language);
  // A page that shows something without its script loads what that needs first.
  const priority = loading === '' ? '' : ' fetchpriority="low"';
  const lines = [
    '<!doctype html>',
    `<html lang="${language}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    '<link rel="icon" href="data:,">',
    ...styles.map((file) => `<link rel="stylesheet" href="/assets/${file}">`),
    ...imported.map((file) => `<link rel="modulepreload" href="/assets/${file}">`),
    `<script type="module" src="/assets/${entry}"${priority}></script>`,
    ...json,
    '</head>',
    '<body><noscript>This page needs JavaScript.</noscript>',
    `<div id="page">${loading}</div></body>`,
    '</html>',
  ];
  return `${lines.join('\n')}\n`;
}

const notBuilt =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not built</title></head><body><h1>Not built</h1><p>The pages were not built: run npm ci.</p></body></html>\n';

/** The bytes of a file in the encoding that the client prefers. */
export function bodyFor(
  request: IncomingMessage,
  file: BuiltFile,
): { body: Buffer; encoding: 'br' | 'gzip' | undefined } {
  const encoded = { br: file.brotli, gzip: file.gzip };
  const offered = (['br', 'gzip'] as const).filter((one) => encoded[one]);
  const { encoding } = chooseEncoding(request.headers['accept-encoding'], offered);
  const body = encoding && encoded[encoding];
  return body ? { body, encoding } : { body: file.plain, encoding: undefined };
}

function plainFile(html: string): BuiltFile {
  return { type: 'text/html; charset=utf-8', plain: Buffer.from(html), brotli: undefined, gzip: undefined };
}

function compressed(file: BuiltFile): BuiltFile {
  return { ...file, brotli: brotliCompressSync(file.plain), gzip: gzipSync(file.plain, { level: 9 }) };
}
