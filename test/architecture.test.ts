/** The layout of the house: which room may import which, what a noun may touch, and what may be named how. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** A room imports only rooms of a lower rank, and its own. The longest matching prefix counts. */
const ranks: [prefix: string, rank: number][] = [
  ['src/errors.ts', 0],
  ['src/config', 0],
  ['prisma/client.ts', 0],
  ['prisma/brief-transaction.ts', 0],
  ['prisma/written-row.ts', 0],
  ['prisma/guarded-database.ts', 0],
  ['prisma/migrate.ts', 0],
  ['prisma/open-first-edition.ts', 0],
  ['generated/prisma', 0],
  ['src/escrow/escrow-abi.ts', 0],
  ['src/escrow/escrow-bytecode.ts', 0],
  ['src/platform', 1],
  ['src/chains', 1],
  ['src/auth/audit', 1.5],
  ['src/escrow', 0.5],
  ['src/auth', 2],
  ['src/operator', 2],
  ['src/events', 3],
  // Mails state facts of every resource.
  ['src/events/mails', 8.6],
  ['src/prices', 3],
  ['src/facts', 3],
  ['src/test-clock', 3],
  ['src/customers', 4],
  ['src/catalog', 4],
  ['src/payments', 5],
  // A way to pay: it takes payments through the checkout.
  ['src/payments/x402', 6.5],
  ['src/checkout', 6],
  ['src/invoices', 7],
  ['src/subscriptions', 8],
  ['src/card', 8],
  ['src/api', 9],
  ['src/operations', 8.5],
  ['src/gateway', 10],
  ['src/local', 11],
  ['src/main', 11],
];
const LINES_LIMIT = 400;
const ENTRIES_LIMIT = 24;
/** Folders of tests that are still above the limit, with the number of entries that they may not exceed. */
const crowdedTests: { readonly [folder: string]: number } = {
  test: 38,
  'test/browser': 37,
  'test/chaos': 29,
  'test/payments': 26,
  'test/web': 27,
};
/** What another program printed, and is compared with its source in `npm run drift`. */
const printed = ['src/escrow/escrow-abi.ts', 'src/escrow/escrow-bytecode.ts', 'src/local/test-tokens.ts'];

function filesUnder(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'generated', 'dist'].includes(entry.name) ? [] : filesUnder(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map((match) => relative(root, resolve(root, dirname(file), match[1] ?? '')));
}

function placeOf(file: string): { room: string; rank: number } | undefined {
  const matching = ranks.filter(
    ([prefix]) => file === prefix || file.startsWith(`${prefix}/`) || file === `${prefix}.ts`,
  );
  const [longest] = matching.sort((left, right) => right[0].length - left[0].length);
  return longest && { room: longest[0], rank: longest[1] };
}

const sources = filesUnder('src');
const pages = filesUnder('web');
const packages = filesUnder('packages');

describe('the source tree', () => {
  it('assigns every source file to a layer', () => {
    expect(sources.filter((file) => !placeOf(file))).toEqual([]);
  });

  it('imports only from lower layers', () => {
    const upward = sources.flatMap((file) => {
      const from = placeOf(file);
      return importsOf(file).flatMap((target) => {
        const to = placeOf(target);
        if (!from || !to || to.room === from.room || to.rank < from.rank) return [];
        return [`${file} (${from.rank}) → ${target} (${to.rank})`];
      });
    });
    expect(upward).toEqual([]);
  });

  it('has no import cycles, including types and pages', () => {
    const all = [...sources, ...pages, ...packages];
    const graph = new Map(all.map((file) => [file, importsOf(file).filter((target) => all.includes(target))]));
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of all) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('separates the program and the indexer, which share only the database', () => {
    expect(sources.filter((file) => importsOf(file).some((target) => target.startsWith('indexer/')))).toEqual([]);
    const allowed = /^(src\/chains\/|src\/escrow\/escrow-abi\.ts$|indexer\/)/;
    const strangers = filesUnder('indexer').flatMap((file) =>
      importsOf(file)
        .filter((target) => !allowed.test(target))
        .map((target) => `${file} → ${target}`),
    );
    expect(strangers).toEqual([]);
  });

  it('separates the pages from the program, except for contract, signing, tax and settings', () => {
    const nouns = [
      'src/chains/evm/erc20.ts',
      'src/checkout/quoted-terms.ts',
      'src/subscriptions/billing-period.ts',
      'src/catalog/tax.ts',
      'src/catalog/accent.ts',
    ];
    const own = /^(web\/|generated\/web\/|src\/escrow\/|src\/api\/pages\/page-(settings|manifest)\.ts$)/;
    const allowed = { test: (target: string) => own.test(target) || nouns.includes(target) };
    const strangers = pages.flatMap((file) =>
      importsOf(file)
        .filter((target) => !allowed.test(target))
        .map((target) => `${file} → ${target}`),
    );
    expect(strangers).toEqual([]);
  });

  it('separates the pages, which share ui, words, api and wallet', () => {
    const pageOf = (file: string) => /^web\/src\/(checkout|payer|dashboard|arbiter|graphiql)\//.exec(file)?.[1];
    const crossings = pages.flatMap((file) =>
      importsOf(file)
        .filter((target) => pageOf(target) !== undefined && pageOf(target) !== pageOf(file))
        .map((target) => `${file} → ${target}`),
    );
    expect(crossings).toEqual([]);
  });

  it('separates the packages for merchants from the program, which they use through its API', () => {
    const packageOf = (file: string) => /^packages\/[^/]+\//.exec(file)?.[0];
    // The printers run here and are not published.
    const printed = (file: string, target: string) =>
      file.startsWith('packages/sdk/generate/') && target === 'src/errors.ts';
    const strangers = packages.flatMap((file) =>
      importsOf(file)
        .filter((target) => packageOf(target) !== packageOf(file) && !printed(file, target))
        .map((target) => `${file} → ${target}`),
    );
    expect(strangers).toEqual([]);
  });

  it('allows only the configuration to read the environment', () => {
    const allowed = /^src\/(config\/|main\.ts|local\/|operations\/)/;
    const readers = sources.filter(
      (file) => !allowed.test(file) && /process\.env\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(readers).toEqual([]);
  });

  it('has no catch-all folders', () => {
    const drawers = [...sources, ...pages, ...packages].filter((file) =>
      /(^|\/)(utils?|helpers?|common|shared|misc|lib|part\d)(\/|\.ts$)/.test(file),
    );
    expect(drawers).toEqual([]);
  });

  it('names files in kebab-case', () => {
    const odd = [...sources, ...pages, ...packages].filter(
      (file) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*\.tsx?$/.test(file.split('/').at(-1) ?? ''),
    );
    expect(odd).toEqual([]);
  });

  it('keeps files under 400 lines', () => {
    const long = [...sources, ...pages, ...packages, ...filesUnder('indexer'), ...filesUnder('test')]
      .filter((file) => !printed.includes(file))
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > LINES_LIMIT + 1);
    expect(long).toEqual([]);
  });

  it('limits the number of entries in folders', () => {
    const files = [...sources, ...pages, ...packages, ...filesUnder('test'), ...filesUnder('bench')];
    const folders = new Set(files.map((file) => dirname(file)));
    const crowded = [...folders].flatMap((folder) => {
      const entries = readdirSync(join(root, folder)).length;
      return entries > (crowdedTests[folder] ?? ENTRIES_LIMIT) ? [{ folder, entries }] : [];
    });
    expect(crowded).toEqual([]);
  });
});

describe('domain objects', () => {
  const text = (file: string) => readFileSync(join(root, file), 'utf8');

  it('never read a clock, but receive the time as an argument', () => {
    const clocks = sources.filter(
      (file) =>
        /^src\/(payments|checkout|invoices|subscriptions|catalog|customers|prices|card|events)\//.test(file) &&
        /\bDate\.now\(\)|new Date\(\)/.test(text(file)),
    );
    expect(clocks).toEqual([]);
  });

  it('never convert an amount to a JavaScript number', () => {
    const numbers = sources.filter((file) =>
      /(parseFloat\(|Number\([^)]*([aA]mount|[bB]alance|[uU]nits)[^)]*\))/.test(text(file)),
    );
    expect(numbers).toEqual([]);
  });
});
