/**
 * Builds the pages into `generated/web`: every file once more in brotli and gzip, so that the API only hands them out, and
 * `sizes.json`: what a first visit of each page loads, compressed. A page over its limit fails the build.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { filesAtFirst, manifestSchema } from '../src/api/pages/page-manifest.ts';

/** KiB of JavaScript and CSS, in brotli. */
const limits: Record<string, number> = { checkout: 250, payer: 250, dashboard: 300, graphiql: 400, start: 120 };

const folder = join(import.meta.dirname, '../generated/web/assets');
await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), mode: 'production', logLevel: 'warn' });

const sizes = new Map<string, number>();
for (const name of globSync('*.{js,css,svg,json}', { cwd: folder })) {
  const bytes = readFileSync(join(folder, name));
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  writeFileSync(join(folder, `${name}.br`), brotli);
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  sizes.set(name, brotli.length);
}

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
const loads = Object.entries(limits).map(([page, limit]) => {
  const files = filesAtFirst(manifest, page);
  const bytes = [...files.scripts, ...files.styles].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  return { page, kibibytes: Math.round((bytes / 1024) * 10) / 10, limit };
});
writeFileSync(join(folder, '../sizes.json'), `${JSON.stringify(loads, null, 2)}\n`);
for (const { page, kibibytes, limit } of loads) console.log(`${page}: ${kibibytes} KiB of at most ${limit}`);
const heavy = loads.filter((load) => load.kibibytes > load.limit);
if (heavy.length > 0) throw new Error(`Too heavy at first: ${heavy.map((load) => load.page).join(', ')}.`);
