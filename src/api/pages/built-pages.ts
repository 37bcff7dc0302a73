/** The pages that `npm ci` built, held in memory, so that a build while the server runs does not change what it serves. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { PageLanguage } from '../page-language.ts';
import { filesAtFirst, type Manifest, manifestSchema } from './page-manifest.ts';

export type PageName = 'checkout' | 'payer' | 'dashboard' | 'arbiter' | 'graphiql' | 'start' | 'renewal';

export type BuiltFile = { type: string; plain: Buffer; brotli: Buffer | undefined; gzip: Buffer | undefined };

export type BuiltPages = {
  /** Files by their names under `/assets/`. */
  files: ReadonlyMap<string, BuiltFile>;
  firstFiles(page: PageName): { scripts: string[]; styles: string[] };
  /** The HTML that a page shows until its script has arrived; empty for pages that show nothing. */
  loadingHtml(page: PageName, language: PageLanguage): string;
};

const builtFolder = fileURLToPath(new URL('../../../generated/web/assets', import.meta.url));

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

const loadingSchema = z.object({ en: z.string(), de: z.string() });

let held: BuiltPages | undefined;

/** Returns undefined if nothing was built. Files are read at most once per process. */
export function loadBuiltPages(folder: string = builtFolder): BuiltPages | undefined {
  if (folder === builtFolder && held) return held;
  const manifestFile = join(folder, 'manifest.json');
  if (!existsSync(manifestFile)) return undefined;
  const manifest: Manifest = manifestSchema.parse(JSON.parse(readFileSync(manifestFile, 'utf8')));
  const files = new Map<string, BuiltFile>();
  for (const name of globSync('*.*', { cwd: folder })) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    files.set(name, {
      type,
      plain: readFileSync(join(folder, name)),
      brotli: readIfThere(join(folder, `${name}.br`)),
      gzip: readIfThere(join(folder, `${name}.gz`)),
    });
  }
  const loading = loadingSchema.parse(JSON.parse(readFileSync(join(folder, '../loading.json'), 'utf8')));
  const pages: BuiltPages = {
    files,
    firstFiles: (page) => filesAtFirst(manifest, page),
    loadingHtml: (page, language) => (page === 'checkout' ? loading[language] : ''),
  };
  if (folder === builtFolder) held = pages;
  return pages;
}

function readIfThere(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}
