/**
 * Builds the pages into `generated/web`: every file once more in brotli and gzip, so that the API only hands them out, and
 * `sizes.json`: what a first visit of each page loads, compressed. A page over its limit fails the build. `loading.json` has what the checkout
 * shows before its script has arrived.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { filesAtFirst, type Manifest, manifestSchema } from '../src/api/pages/page-manifest.ts';

/** KiB of JavaScript and CSS, in brotli. */
const limits: Record<string, number> = {
  checkout: 180,
  payer: 250,
  dashboard: 300,
  graphiql: 400,
  start: 120,
  renewal: 4,
};

const folder = join(import.meta.dirname, '../generated/web/assets');

type Run = { pages: readonly string[]; codeSplitting?: CodeSplitting };
type CodeSplitting = Extract<Rolldown.OutputOptions['codeSplitting'], object>;

/** Modules that at least this many pages of the dashboard use are combined in one script. */
const SHARED_BY = 3;

/**
 * Pages of one run share their modules as separate files, which are dozens of requests. So the checkout and the dashboard are built alone,
 * with what they need at first in one script and one style sheet (decision 0113). The checkout's script contains both languages. Our
 * modules that several pages of the dashboard use are one more script. Libraries are not in it, because they are large and few pages need them.
 */
const runs: readonly Run[] = [
  { pages: ['payer', 'arbiter', 'graphiql', 'start'] },
  {
    pages: ['dashboard'],
    codeSplitting: {
      groups: [
        { name: 'dashboard', tags: ['$initial'], priority: 1 },
        { name: 'dashboard-shared', test: /\/web\/src\//, minShareCount: SHARED_BY },
      ],
    },
  },
  {
    pages: ['checkout'],
    codeSplitting: {
      groups: [{ name: 'checkout', tags: ['$initial'] }],
    },
  },
  // The server prints this page, and its script is one small file.
  { pages: ['renewal'] },
];

let manifest: Manifest = {};
for (const [index, { pages, codeSplitting }] of runs.entries()) {
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    mode: 'production',
    logLevel: 'warn',
    build: {
      emptyOutDir: index === 0,
      rolldownOptions: {
        input: Object.fromEntries(pages.map((page) => [page, entryOf(page)])),
        ...(codeSplitting ? { output: { codeSplitting } } : {}),
        // A page's own words in English come with it, although those of other areas are loaded later.
        checks: { ineffectiveDynamicImport: false },
      },
    },
  });
  const built = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  manifest = { ...manifest, ...namedAfterRun(built, index) };
}
writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(join(folder, '../loading.json'), `${JSON.stringify(await printLoading(), null, 2)}\n`);

const sizes = new Map<string, number>();
for (const name of globSync('*.{js,css,svg,json}', { cwd: folder })) {
  const bytes = readFileSync(join(folder, name));
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  writeFileSync(join(folder, `${name}.br`), brotli);
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  sizes.set(name, brotli.length);
}

const loads = Object.entries(limits).map(([page, limit]) => {
  const files = filesAtFirst(manifest, page);
  const bytes = [...files.scripts, ...files.styles].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  return { page, kibibytes: Math.round((bytes / 1024) * 10) / 10, limit };
});
writeFileSync(join(folder, '../sizes.json'), `${JSON.stringify(loads, null, 2)}\n`);
for (const { page, kibibytes, limit } of loads) console.log(`${page}: ${kibibytes} KiB of at most ${limit}`);
const heavy = loads.filter((load) => load.kibibytes > load.limit);
if (heavy.length > 0) throw new Error(`Too heavy at first: ${heavy.map((load) => load.page).join(', ')}.`);

function entryOf(page: string): string {
  const [entry = 'main.tsx'] = globSync('main.{ts,tsx}', { cwd: join(import.meta.dirname, 'src', page) });
  return join(import.meta.dirname, 'src', page, entry);
}

/** What the server shows of the checkout before its script has arrived, by language, with the class names of the build above. */
async function printLoading(): Promise<Record<string, string>> {
  const outDir = join(folder, '../loading');
  const source = join(import.meta.dirname, 'src/checkout/loading/print-loading.tsx');
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    mode: 'production',
    logLevel: 'warn',
    build: { ssr: source, outDir, emptyOutDir: true, manifest: false },
  });
  try {
    const printer: { printLoading(): Promise<Record<string, string>> } = await import(join(outDir, 'print-loading.js'));
    return await printer.printLoading();
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** The same source is another chunk in another run. */
function namedAfterRun(built: Manifest, run: number): Manifest {
  const named = (key: string) => `${run}/${key}`;
  return Object.fromEntries(
    Object.entries(built).map(([key, chunk]) => [named(key), { ...chunk, imports: chunk.imports?.map(named) ?? [] }]),
  );
}
