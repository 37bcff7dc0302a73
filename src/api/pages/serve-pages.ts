/**
 * Serves the pages of payers and of the dashboard, and their files under `/assets/`. The HTML of a page is the same for everyone. The page
 * itself queries GraphQL, which responds to unknown links and sessions. Browsers that open `/` or an unknown path get a page too.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { nameRoute } from '../../platform/http-call.ts';
import { chooseEncoding } from '../encoding/accept-encoding.ts';
import type { World } from '../graphql/server/world.ts';
import type { HttpHandler } from '../start-api.ts';
import { asksForPage } from './asks-for-page.ts';
import { type BuiltFile, type BuiltPages, loadBuiltPages, type PageName } from './built-pages.ts';
import { pagePolicy } from './page-policy.ts';
import { pageSettings } from './page-settings.ts';

type PageRoute = {
  path: RegExp;
  route: string;
  page: PageName;
  title: string;
  /** Served only if the request accepts HTML, because other clients get JSON at the same path. */
  isForBrowsers?: boolean;
};

const routes: PageRoute[] = [
  { path: /^\/link\/[^/]+\/?$/, route: '/link/:slug', page: 'checkout', title: 'Pay' },
  { path: /^\/checkout\/[^/]+\/?$/, route: '/checkout/:id', page: 'checkout', title: 'Pay' },
  { path: /^\/pay(\/[^/]+)?\/?$/, route: '/pay/:wallet', page: 'payer', title: 'Your payments' },
  { path: /^\/dashboard(\/.*)?$/, route: '/dashboard', page: 'dashboard', title: 'Dashboard' },
  { path: /^\/arbiter(\/[^/]+)?\/?$/, route: '/arbiter/:id', page: 'arbiter', title: 'Arbiter' },
  { path: /^\/graphql$/, route: '/graphql', page: 'graphiql', title: 'Sluice GraphQL', isForBrowsers: true },
  { path: /^\/$/, route: '/', page: 'start', title: 'Sluice', isForBrowsers: true },
];

const unknown: PageRoute = {
  path: /^/,
  route: '/:unknown',
  page: 'start',
  title: 'Page not found',
  isForBrowsers: true,
};

/** The path of the editor for members in production, with the schema that only they may read there. */
const MEMBERS_EDITOR = '/dashboard/developers?tab=graphql';

type PageWorld = Pick<World, 'config' | 'registry'>;

/** `built` is set by tests and defaults to what `npm ci` built. The editor at /graphql is for development only (decision 0045). */
export function servePages(world: PageWorld, built: BuiltPages | undefined = loadBuiltPages()): HttpHandler {
  const htmlOf = openHtml(world, built);
  return async (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (path.startsWith('/assets/'))
      return serveAsset(request, response, built?.files.get(path.slice('/assets/'.length)));
    const route = routes.find((one) => one.path.test(path));
    if (!route) return false;
    const method = request.method ?? 'GET';
    if (method !== 'GET' && method !== 'HEAD') return false;
    if (route.isForBrowsers && !asksForPage(request)) return false;
    nameRoute(response, route.route);
    if (route.page === 'graphiql' && world.config.isProduction) {
      response.writeHead(303, { ...byAccept, location: MEMBERS_EDITOR, 'content-length': 0 }).end();
      return true;
    }
    writePage(request, response, { world, route, status: 200, html: htmlOf(route) });
    return true;
  };
}

/** Serves a page with status 404 to browsers, at any path. It comes after the handlers of all paths that exist. */
export function serveUnknownPath(world: PageWorld, built: BuiltPages | undefined = loadBuiltPages()): HttpHandler {
  const htmlOf = openHtml(world, built);
  return async (request, response) => {
    if (!asksForPage(request)) return false;
    nameRoute(response, unknown.route);
    writePage(request, response, { world, route: unknown, status: 404, html: htmlOf(unknown) });
    return true;
  };
}

/** Prints the HTML of pages. It is the same for everyone and contains no secret, so it is compressed once. Undefined if nothing was built. */
function openHtml(world: PageWorld, built: BuiltPages | undefined): (route: PageRoute) => BuiltFile | undefined {
  const settings = printSettings(world);
  const pages = new Map<PageRoute, BuiltFile>();
  return (route) => {
    if (!built) return undefined;
    const made = pages.get(route) ?? compressed(plainFile(pageHtml(route, built, settings)));
    pages.set(route, made);
    return made;
  };
}

/** The response depends on Accept, so caches must not store it. */
const byAccept = { 'cache-control': 'no-store', vary: 'accept' };

type WrittenPage = { world: PageWorld; route: PageRoute; status: number; html: BuiltFile | undefined };

function writePage(
  request: IncomingMessage,
  response: ServerResponse,
  { world, route, status, html }: WrittenPage,
): void {
  const { body, encoding } = bodyFor(request, html ?? plainFile(notBuilt));
  response.writeHead(html ? status : 503, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(encoding ? { 'content-encoding': encoding } : {}),
    'content-security-policy': pagePolicy(world, route.page),
    ...(route.isForBrowsers ? byAccept : { 'cache-control': 'no-cache', vary: 'accept-encoding' }),
    // A session's secret is in the fragment of the page's URL, which browsers never send. This keeps the session's id private too.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'x-robots-tag': 'noindex',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function printSettings(world: PageWorld): string {
  return JSON.stringify(pageSettings(world)).replaceAll('<', '\\u003c');
}

function pageHtml(route: PageRoute, built: BuiltPages, settings: string): string {
  const { scripts, styles } = built.firstFiles(route.page);
  const [entry, ...imported] = scripts;
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${route.title}</title>`,
    '<link rel="icon" href="data:,">',
    ...styles.map((file) => `<link rel="stylesheet" href="/assets/${file}">`),
    ...imported.map((file) => `<link rel="modulepreload" href="/assets/${file}">`),
    `<script type="module" src="/assets/${entry}"></script>`,
    `<script type="application/json" id="settings">${settings}</script>`,
    '</head>',
    '<body><div id="page"></div><noscript>This page needs JavaScript.</noscript></body>',
    '</html>',
  ];
  return `${lines.join('\n')}\n`;
}

const notBuilt =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not built</title></head><body><h1>Not built</h1><p>The pages were not built: run npm ci.</p></body></html>\n';

/** Each file name contains the hash of its content, so browsers may cache it indefinitely. */
function serveAsset(request: IncomingMessage, response: ServerResponse, file: BuiltFile | undefined): boolean {
  const method = request.method ?? 'GET';
  if (!file || (method !== 'GET' && method !== 'HEAD')) return false;
  nameRoute(response, '/assets/:file');
  const { body, encoding } = bodyFor(request, file);
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': body.length,
    ...(encoding ? { 'content-encoding': encoding } : {}),
    vary: 'accept-encoding',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  response.end(method === 'HEAD' ? undefined : body);
  return true;
}

function bodyFor(request: IncomingMessage, file: BuiltFile): { body: Buffer; encoding: 'br' | 'gzip' | undefined } {
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
