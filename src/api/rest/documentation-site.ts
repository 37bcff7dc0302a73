/** Reads the documentation, which `docs/site/build.ts` builds as static files, for `/docs`. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { chooseEncoding } from '../encoding/accept-encoding.ts';

export type PublishedDocument = { status: number; headers: Record<string, string>; body: Buffer | string };

export type Site = {
  has(path: string): boolean;
  /** Undefined for a path outside the site. */
  read(path: string, acceptEncoding: string | undefined): Promise<PublishedDocument | undefined>;
};

const builtFolder = fileURLToPath(new URL('../../../generated/docs', import.meta.url));

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const suffixes = { br: '.br', gzip: '.gz' };

/** Where the documentation was not built, `/docs` leads to the page of the API. `folder` is set by tests. */
export function openSite(folder: string = builtFolder): Site {
  const scriptsFile = join(folder, 'scripts.json');
  if (!existsSync(scriptsFile)) {
    const toApi = { status: 303, headers: { location: '/docs/api', 'cache-control': 'no-store' }, body: '' };
    const isRoot = (path: string) => path === '/docs' || path === '/docs/';
    return { has: isRoot, read: async (path) => (isRoot(path) ? toApi : undefined) };
  }
  const policy = policyOf(z.array(z.string()).parse(JSON.parse(readFileSync(scriptsFile, 'utf8'))));
  const files = new Set(globSync('**/*.*', { cwd: folder }).map((name) => name.replaceAll('\\', '/')));
  const nameOf = (path: string) =>
    [pageOf(path), path.slice('/docs/'.length)].find((name) => name && isServed(files, name));
  return {
    has: (path) => isOfSite(path) && nameOf(path) !== undefined,
    async read(path, acceptEncoding) {
      const name = isOfSite(path) ? nameOf(path) : undefined;
      if (name === undefined) return undefined;
      const offered = (['br', 'gzip'] as const).filter((one) => files.has(`${name}${suffixes[one]}`));
      const { encoding } = chooseEncoding(acceptEncoding, offered);
      const isPage = name.endsWith('.html');
      return {
        status: 200,
        headers: {
          'content-type': types[extname(name)] ?? 'application/octet-stream',
          'x-content-type-options': 'nosniff',
          ...(offered.length > 0 ? { vary: 'accept-encoding' } : {}),
          ...(encoding ? { 'content-encoding': encoding } : {}),
          // Names of assets contain a hash of their content.
          'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
          ...(isPage ? { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } : {}),
        },
        body: await readFile(join(folder, `${name}${encoding ? suffixes[encoding] : ''}`)),
      };
    },
  };
}

function isOfSite(path: string): boolean {
  return path === '/docs' || path.startsWith('/docs/');
}

/** `/docs/quickstart` is the file `quickstart.html`. */
function pageOf(path: string): string {
  const page = path.slice('/docs'.length).replaceAll(/^\/|\/$/g, '');
  return page === '' ? 'index.html' : `${page}.html`;
}

/** Only names that were listed are read, so that no path leads out of the folder. */
function isServed(files: ReadonlySet<string>, name: string): boolean {
  return files.has(name) && extname(name) in types;
}

/** Allows files of this installation, the inline scripts of the built pages, and inline styles, for code colors and the appearance. */
function policyOf(scripts: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
