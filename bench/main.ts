/**
 * `npm run bench [-- part…] [--full] [--renewals n] [--grown n] [--write]`: measures an installation of its own, and prints tables. Parts:
 * rest, reads, cpu, postgraphile, creates, pushes, hops, chain, memory, subscribers, webhooks, sequence, renewals, prices, balances,
 * solana, dashboard, gateway, refused, growth; all if none is named. `x402`, `scale` and `lighthouse` run only when they are named: the
 * first has an installation with one sender key, the second needs the packages of `node bench/scale/install-packages.ts`, the third
 * downloads its package. `--full` takes the sizes of the published figures, `--write` puts the tables into docs/performance.md, those of
 * `refused` into docs/operations.md, those of `gateway` into docs/gateway.md, and those of `scale` into docs/scale.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bench, sizes } from './bench.ts';
import { measureCpu } from './cpu/measure-cpu.ts';
import { measurePostgraphile } from './cpu/measure-postgraphile.ts';
import { measureBalances } from './measures/measure-balances.ts';
import { measureChain } from './measures/measure-chain.ts';
import { measureCreates } from './measures/measure-creates.ts';
import { measureDashboard } from './measures/measure-dashboard.ts';
import { measureGateway } from './measures/measure-gateway.ts';
import { measureGrowth } from './measures/measure-growth.ts';
import { measureHops } from './measures/measure-hops.ts';
import { measureLighthouse } from './measures/measure-lighthouse.ts';
import { measureMemory } from './measures/measure-memory.ts';
import { measurePrices } from './measures/measure-prices.ts';
import { measurePushes } from './measures/measure-pushes.ts';
import { measureReads } from './measures/measure-reads.ts';
import { measureRefused } from './measures/measure-refused.ts';
import { measureRenewals } from './measures/measure-renewals.ts';
import { measureRest } from './measures/measure-rest.ts';
import { measureSequence } from './measures/measure-sequence.ts';
import { measureSolana } from './measures/measure-solana.ts';
import { measureSubscribers } from './measures/measure-subscribers.ts';
import { measureWebhooks } from './measures/measure-webhooks.ts';
import { measureScale } from './scale/measure-scale.ts';
import { type Installation, openInstallation } from './servers/open-installation.ts';
import { measureX402 } from './x402/measure-x402.ts';

const parts: Record<string, (bench: Bench) => Promise<string>> = {
  rest: measureRest,
  reads: measureReads,
  cpu: measureCpu,
  postgraphile: measurePostgraphile,
  creates: measureCreates,
  pushes: measurePushes,
  hops: measureHops,
  chain: measureChain,
  memory: measureMemory,
  subscribers: measureSubscribers,
  webhooks: measureWebhooks,
  sequence: measureSequence,
  renewals: measureRenewals,
  prices: measurePrices,
  balances: measureBalances,
  solana: measureSolana,
  dashboard: measureDashboard,
  gateway: measureGateway,
  refused: measureRefused,
  growth: measureGrowth,
};
/** Parts with an installation of their own, which run only when they are named. */
const separateParts: Record<string, (bench: Omit<Bench, 'installation'>) => Promise<string>> = {
  x402: measureX402,
  scale: measureScale,
  lighthouse: measureLighthouse,
};
/** The page of each part whose figures are not in docs/performance.md. */
const pages: Record<string, string> = { refused: 'operations.md', gateway: 'gateway.md', scale: 'scale.md' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    renewals: { type: 'string' },
    grown: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const names = [...Object.keys(parts), ...Object.keys(separateParts)];
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are ${names.join(', ')}.`);
  process.exit(1);
}

const chosenParts = positionals.length === 0 ? Object.keys(parts) : names.filter((name) => positionals.includes(name));
const unplaced = values.write ? chosenParts.filter((name) => !placeOf(name)) : [];
if (unplaced.length > 0) {
  console.error(`No page has a place for the figures of ${unplaced.join(', ')}.`);
  process.exit(1);
}

let installation: Installation | undefined;
if (chosenParts.some((name) => parts[name])) {
  const opened = await openInstallation();
  installation = opened;
  process.once('SIGINT', () => void opened.stop().finally(() => process.exit(130)));
}
try {
  const chosen = values.full ? sizes.full : sizes.quick;
  const bench = {
    sizes: {
      ...chosen,
      ...(values.renewals === undefined ? {} : { renewals: Number(values.renewals) }),
      ...(values.grown === undefined ? {} : { grown: Number(values.grown) }),
    },
    print: (line: string) => console.log(line),
  };
  const tables: string[] = [];
  const loadBefore = load();
  for (const name of chosenParts) {
    console.log(`\n== ${name}`);
    const text = await run(name, bench);
    tables.push(text);
    if (values.write) write(name, `${surroundings(loadBefore)}\n\n${text}`);
  }
  console.log(`\n${[surroundings(loadBefore), ...tables].join('\n\n')}`);
} finally {
  await installation?.stop();
}

async function run(name: string, bench: Omit<Bench, 'installation'>): Promise<string> {
  const separate = separateParts[name];
  if (separate) return await separate(bench);
  const part = parts[name];
  if (!part || !installation) throw new Error(`There is no installation for ${name}.`);
  return await part({ ...bench, installation });
}

function load(): string {
  return loadavg().map((value) => value.toFixed(1))[0] ?? '';
}

function surroundings(loadBefore: string): string {
  const day = new Date().toISOString().slice(0, 10);
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const size = values.full ? 'full sizes' : 'quick sizes';
  return `${day}, ${size}, Node ${process.version}, ${availableParallelism()} cores of ${processor}; load of the machine (1 min) ${loadBefore} before and ${load()} after.`;
}

/** The page of a part's figures and the text that is replaced there; null if there is no such page. */
function placeOf(name: string): { file: string; text: string; place: RegExp } | null {
  const file = join(import.meta.dirname, '..', 'docs', pages[name] ?? 'performance.md');
  const text = readFileSync(file, 'utf8');
  const place = new RegExp(`<!-- figures: ${name} -->[\\s\\S]*?<!-- end -->`);
  return place.test(text) ? { file, text, place } : null;
}

function write(name: string, report: string): void {
  const found = placeOf(name);
  if (!found) throw new Error(`No page has a place for the figures of ${name}.`);
  const { file, text, place } = found;
  writeFileSync(
    file,
    text.replace(place, () => `<!-- figures: ${name} -->\n${report}\n<!-- end -->`),
  );
}
