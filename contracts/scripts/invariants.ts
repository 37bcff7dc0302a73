import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { releasedEscrowCode } from './released-code.ts';
import { runForge } from './run-forge.ts';

/**
 * `node contracts/scripts/invariants.ts [--deep] [--calls <number>] [--seed <number>]` fuzzes the released code of the escrow with state,
 * in two processes with seeds of their own, and fails when an invariant breaks, or when some handler never did what it
 * is for: a campaign whose calls all bounce proves nothing. The default is 100,000 calls, `--deep` four million.
 */
const contracts = fileURLToPath(new URL('..', import.meta.url));
const deep = process.argv.includes('--deep');
const seedAt = process.argv.indexOf('--seed');
const seed = BigInt(seedAt < 0 ? Date.now() : (process.argv[seedAt + 1] ?? '0'));
const processes = 2;
const depth = deep ? 400 : 200;
const callsAt = process.argv.indexOf('--calls');
const calls = callsAt < 0 ? (deep ? 4_000_000 : 100_000) : Number(process.argv[callsAt + 1]);
const runs = Math.ceil(calls / depth / processes);

const settings = {
  FOUNDRY_SKIP: '[]',
  FOUNDRY_SRC: 'test/invariants',
  FOUNDRY_TEST: 'test/invariants',
  FOUNDRY_OUT: 'out/invariants',
  FOUNDRY_CACHE_PATH: 'cache/invariants',
  // Of the tests, not of the escrow: at the release's setting the compiler spends minutes on the handlers.
  FOUNDRY_OPTIMIZER_RUNS: '1',
  FOUNDRY_INVARIANT_RUNS: String(runs),
  FOUNDRY_INVARIANT_DEPTH: String(depth),
  FOUNDRY_INVARIANT_FAIL_ON_REVERT: 'true',
  FOUNDRY_INVARIANT_SHOW_METRICS: 'false',
  FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: '300',
  // The handlers hash their seed, so that values met before are worth nothing to them.
  FOUNDRY_INVARIANT_DICTIONARY_WEIGHT: '0',
  FOUNDRY_INVARIANT_INCLUDE_STORAGE: 'false',
  FOUNDRY_INVARIANT_INCLUDE_PUSH_BYTES: 'false',
  FOUNDRY_INVARIANT_MAX_FUZZ_DICTIONARY_VALUES: '1',
};

// The one folder that foundry.toml lets tests write to.
await mkdir(path.join(contracts, 'out/tally'), { recursive: true });
const folder = await mkdtemp(path.join(contracts, 'out/tally/run-'));
try {
  process.exitCode = await campaign(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function campaign(folder: string): Promise<number> {
  const build = await runForge(contracts, { args: ['build'], env: settings });
  if (build.status !== 0) return report(build.output, 1);
  const startedMs = performance.now();
  const code = releasedEscrowCode();
  const results = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      runForge(contracts, {
        args: ['test', '--fuzz-seed', `0x${(seed + BigInt(index)).toString(16)}`],
        env: {
          ...settings,
          ESCROW_RUNTIME_CODE: code,
          INVARIANT_TALLY: path.join(folder, `tally-${index}`),
          FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: path.join(folder, `failures-${index}`),
        },
      }),
    ),
  );
  for (const result of results) {
    if (result.status !== 0) return report(result.output, 1);
  }
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const calls = results.reduce((sum, { output }) => sum + Number(/calls: (\d+)/.exec(output)?.[1] ?? 0), 0);
  return judge(folder, { calls, seconds });
}

/** Prints how often each handler was called and did its work; 1 when one never did. */
async function judge(folder: string, run: { calls: number; seconds: number }): Promise<number> {
  const names = await operationNames();
  const tally = names.map((name) => ({ name, calls: 0, successes: 0 }));
  for (let index = 0; index < processes; index++) {
    const lines = (await readFile(path.join(folder, `tally-${index}`), 'utf8')).split('\n').filter(Boolean);
    for (const line of lines) {
      for (const [position, cell] of line.trim().split(' ').entries()) {
        const [calls, successes] = cell.split('/').map(Number);
        const entry = tally[position];
        if (entry === undefined || calls === undefined || successes === undefined) throw new Error(`tally: ${line}`);
        entry.calls += calls;
        entry.successes += successes;
      }
    }
  }
  for (const { name, calls, successes } of tally) {
    process.stdout.write(
      `${name.padEnd(34)}${String(calls).padStart(9)} calls${String(successes).padStart(9)} effective\n`,
    );
  }
  const idle = tally.filter((entry) => entry.successes === 0).map((entry) => entry.name);
  process.stdout.write(`15 invariants hold over ${run.calls} handler calls (seed ${seed}, ${run.seconds} s)\n`);
  if (idle.length > 0) return report(`never effective: ${idle.join(', ')}\n`, 1);
  if (run.calls < runs * depth * processes) return report(`expected ${runs * depth * processes} calls\n`, 1);
  return 0;
}

/** The handlers' names in the order of the tally: the members of the enum Op. */
async function operationNames(): Promise<string[]> {
  const source = await readFile(path.join(contracts, 'test/invariants/Book.sol'), 'utf8');
  const body = /enum Op \{([^}]*)\}/.exec(source)?.[1];
  if (body === undefined) throw new Error('Book.sol has no enum Op');
  return body.split(',').map((name) => name.trim().toLowerCase().replaceAll('_', ' '));
}

function report(output: string, code: number): number {
  process.stdout.write(output);
  return code;
}
