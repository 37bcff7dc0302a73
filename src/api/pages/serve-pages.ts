/**
 * Serves the pages of payers and of the dashboard, and their files under `/assets/`. The HTML of a page is the same for everyone. The page
 * itself queries GraphQL, which responds to unknown links and sessions. Browsers that open `/` or an unknown path get a page too.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { nameRoute } from '../../platform/http-call.ts';
import type { HttpHandler } from '../start-api.ts';
import { asksForPage } from './asks-for-page.ts';
import { type BuiltFile, type BuiltPages, loadBuiltPages, type PageName } from './built-pages.ts';
import { bodyFor, openPageWriter, type PageWorld } from './write-page.ts';

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

/** `built` is set by tests and defaults to what `npm ci` built. The editor at /graphql is for development only (decision 0045). */
export function servePages(world: PageWorld, built: BuiltPages | undefined = loadBuiltPages()): HttpHandler {
  const writePage = openPageWriter(world, built);
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
    writePage(request, response, { ...route, status: 200, headers: route.isForBrowsers ? byAccept : keptByEncoding });
    return true;
  };
}

/** Serves a page with status 404 to browsers, at any path. It comes after the handlers of all paths that exist. */
export function serveUnknownPath(world: PageWorld, built: BuiltPages | undefined = loadBuiltPages()): HttpHandler {
  const writePage = openPageWriter(world, built);
  return async (request, response) => {
    if (!asksForPage(request)) return false;
    nameRoute(response, unknown.route);
    writePage(request, response, { ...unknown, status: 404, headers: byAccept });
    return true;
  };
}

/** The response depends on Accept, so caches must not store it. */
const byAccept = { 'cache-control': 'no-store', vary: 'accept' };
const keptByEncoding = { 'cache-control': 'no-cache', vary: 'accept-encoding, accept-language' };

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
