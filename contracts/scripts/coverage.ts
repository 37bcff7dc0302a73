import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runForge } from './run-forge.ts';

/**
 * `node contracts/scripts/coverage.ts` prints what the unit tests run of the contracts and fails under 100 % of its lines,
 * branches or functions. Forge compiles without the optimizer for this, so that every line is still there. It does not
 * look into assembly, nor at free functions (all of PackedState.sol): tests of what they do and mutants hold those.
 */
const contracts = fileURLToPath(new URL('..', import.meta.url));
const files = ['PaymentEscrow.sol', 'DepositBox.sol', 'Calendar.sol', 'PaymentBatch.sol'];

type Count = { hit: number; found: number };
type Coverage = { lines: Count; branches: Count; functions: Count; missed: string[] };

const folder = await mkdtemp(path.join(tmpdir(), 'coverage-'));
try {
  process.exitCode = await cover(path.join(folder, 'lcov.info'));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function cover(lcov: string): Promise<number> {
  const run = await runForge(contracts, {
    args: ['coverage', '--report', 'lcov', '--report-file', lcov],
    env: { FOUNDRY_OUT: 'out/coverage', FOUNDRY_CACHE_PATH: 'cache/coverage', FOUNDRY_FUZZ_RUNS: '64' },
  });
  if (run.status !== 0) {
    process.stdout.write(run.output);
    return 1;
  }
  const report = parse(await readFile(lcov, 'utf8'));
  let complete = true;
  process.stdout.write(
    `${'file'.padEnd(22)}${'lines'.padStart(18)}${'branches'.padStart(18)}${'functions'.padStart(18)}\n`,
  );
  for (const file of files) {
    const coverage = report.get(file);
    if (coverage === undefined) throw new Error(`forge reported nothing about ${file}`);
    const counts = [coverage.lines, coverage.branches, coverage.functions];
    process.stdout.write(`${file.padEnd(22)}${counts.map((count) => cell(count).padStart(18)).join('')}\n`);
    for (const missed of coverage.missed) process.stdout.write(`  not run: ${file}:${missed}\n`);
    if (counts.some((count) => count.hit < count.found) || coverage.lines.found === 0) complete = false;
  }
  if (!complete) process.stdout.write('The unit tests must run every line, branch and function of the contracts.\n');
  return complete ? 0 : 1;
}

/** Reads forge's lcov: SF file, DA line,hits, BRDA line,block,branch,hits ("-" for none), FN and FNDA functions. */
function parse(lcov: string): Map<string, Coverage> {
  const report = new Map<string, Coverage>();
  let current: Coverage | undefined;
  for (const line of lcov.split('\n')) {
    const separator = line.indexOf(':');
    const kind = separator < 0 ? line : line.slice(0, separator);
    const fields = line.slice(separator + 1).split(',');
    if (kind === 'SF') {
      current = { lines: empty(), branches: empty(), functions: empty(), missed: [] };
      report.set(fields[0] ?? '', current);
    } else if (current !== undefined && kind === 'DA') {
      add(current, current.lines, { hits: fields[1], where: `${fields[0]}` });
    } else if (current !== undefined && kind === 'BRDA') {
      add(current, current.branches, { hits: fields[3], where: `${fields[0]} (branch ${fields[2]})` });
    } else if (current !== undefined && kind === 'FNDA') {
      add(current, current.functions, { hits: fields[0], where: `${fields[1]} (function)` });
    }
  }
  return report;
}

function add(coverage: Coverage, count: Count, entry: { hits: string | undefined; where: string }): void {
  count.found++;
  if (Number(entry.hits) > 0) count.hit++;
  else coverage.missed.push(entry.where);
}

function empty(): Count {
  return { hit: 0, found: 0 };
}

function cell({ hit, found }: Count): string {
  const percent = found === 0 ? 100 : (hit / found) * 100;
  return `${percent.toFixed(percent === 100 ? 0 : 2)} % (${hit}/${found})`;
}
