import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { batchMutants } from '../mutation/batch-mutants.ts';
import { mutants as escrowMutants, type Mutant } from '../mutation/mutants.ts';
import { compileContract, compileEscrow, releaseCompiler } from './compile-escrow.ts';
import { releasedBatchCode, releasedEscrowCode } from './released-code.ts';
import { runForge } from './run-forge.ts';

/**
 * `node contracts/scripts/mutate.ts [--quick] [--only <part of a name or file>]` breaks one rule of the escrow, or of the
 * batch contract, at a time and expects the tests to notice: the unit tests of that contract, and if they all pass the
 * invariants, which are the escrow's alone. The tests are compiled once, in a temporary copy of this folder; each
 * mutant's code is put in the contract's place when they run. The batch contract measures gas, so that its mutants are
 * compiled as it is released. Fails on a survivor without an explanation, and on a mutant whose fragment is not found
 * exactly once.
 */
const contracts = fileURLToPath(new URL('..', import.meta.url));
const quick = process.argv.includes('--quick');
const onlyAt = process.argv.indexOf('--only');
const only = onlyAt < 0 ? '' : (process.argv[onlyAt + 1] ?? '');
const parallel = 2;

type Outcome = { mutant: Mutant; killedBy: string | undefined };

const mutants = [...escrowMutants, ...batchMutants];
const chosen = mutants.filter(
  (mutant) => (!quick || mutant.quick) && `${mutant.name} ${fileOf(mutant)}`.includes(only),
);
const folder = await mkdtemp(path.join(tmpdir(), 'mutants-'));
try {
  process.exitCode = await mutate(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function mutate(folder: string): Promise<number> {
  const startedMs = performance.now();
  const sources = new Map<string, string>();
  for (const file of new Set(mutants.map(fileOf))) {
    sources.set(file, await readFile(path.join(contracts, file), 'utf8'));
  }
  const unfit = mutants.filter((mutant) => occurrences(sources.get(fileOf(mutant)) ?? '', mutant.find) !== 1);
  if (unfit.length > 0) {
    for (const mutant of unfit) process.stdout.write(`not found exactly once: ${mutant.name}\n`);
    return 1;
  }
  const copy = await copyContracts(folder);
  const whole = await compileEscrow({});
  for (const runTests of quick ? [runUnitTests] : [runUnitTests, runInvariants]) {
    if (chosen.every(isOfBatch)) break;
    const clean = await runTests(copy, whole);
    if (clean.status === 0) continue;
    process.stdout.write(`the tests fail on the escrow as it is:\n${clean.output}`);
    return 1;
  }
  const cleanBatch = await runBatchTests(copy, releasedBatchCode());
  if (cleanBatch.status !== 0) {
    process.stdout.write(`the tests fail on the batch contract as it is:\n${cleanBatch.output}`);
    return 1;
  }
  const queue = [...chosen];
  const outcomes: Outcome[] = [];
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const source = sources.get(fileOf(mutant)) ?? '';
        const patches = { [fileOf(mutant)]: source.replace(mutant.find, () => mutant.replace) };
        const killedBy = isOfBatch(mutant)
          ? await findBatchKiller(copy, await compileContract('PaymentBatch', patches, releaseCompiler))
          : await findKiller(copy, await compileEscrow(patches));
        const outcome = { mutant, killedBy };
        outcomes.push(outcome);
        print(outcome);
      }
    }),
  );
  const survivors = outcomes.filter((outcome) => outcome.killedBy === undefined);
  const unexplained = survivors.filter((outcome) => outcome.mutant.equivalent === undefined);
  process.stdout.write(
    `${outcomes.length} mutants, ${outcomes.length - survivors.length} killed, ${survivors.length} survived ` +
      `(${survivors.length - unexplained.length} explained; ${Math.round((performance.now() - startedMs) / 1000)} s)\n`,
  );
  return unexplained.length > 0 || outcomes.length === 0 ? 1 : 0;
}

/** The first test that fails on this code; undefined when all of them pass. */
async function findKiller(copy: string, code: string): Promise<string | undefined> {
  const unit = await runUnitTests(copy, code);
  if (unit.status !== 0) return failedTest(unit.output);
  const fuzzed = await runInvariants(copy, code);
  return fuzzed.status === 0 ? undefined : failedTest(fuzzed.output);
}

async function findBatchKiller(copy: string, code: string): Promise<string | undefined> {
  const unit = await runBatchTests(copy, code);
  return unit.status === 0 ? undefined : failedTest(unit.output);
}

function runBatchTests(copy: string, code: string) {
  return runForge(copy, {
    args: ['test', '--fail-fast', '--fuzz-seed', '0x51ce', '--match-path', 'test/Batch.t.sol'],
    env: { ...unitSettings(copy), ESCROW_RUNTIME_CODE: releasedEscrowCode(), BATCH_RUNTIME_CODE: code },
  });
}

function isOfBatch(mutant: Mutant): boolean {
  return batchMutants.includes(mutant);
}

function runInvariants(copy: string, code: string) {
  return runForge(copy, {
    args: ['test', '--fuzz-seed', '0x51ce'],
    env: {
      FOUNDRY_SKIP: '[]',
      FOUNDRY_SRC: 'test/invariants',
      FOUNDRY_TEST: 'test/invariants',
      FOUNDRY_OUT: 'out/invariants',
      FOUNDRY_CACHE_PATH: 'cache/invariants',
      FOUNDRY_OPTIMIZER: 'false',
      FOUNDRY_INVARIANT_RUNS: '100',
      FOUNDRY_INVARIANT_DEPTH: '200',
      FOUNDRY_INVARIANT_FAIL_ON_REVERT: 'true',
      FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: '0',
      FOUNDRY_INVARIANT_DICTIONARY_WEIGHT: '0',
      FOUNDRY_INVARIANT_INCLUDE_STORAGE: 'false',
      FOUNDRY_INVARIANT_INCLUDE_PUSH_BYTES: 'false',
      FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: path.join(copy, `failures-${performance.now()}`),
      ESCROW_RUNTIME_CODE: code,
    },
  });
}

function runUnitTests(copy: string, code: string) {
  return runForge(copy, {
    args: ['test', '--fail-fast', '--fuzz-seed', '0x51ce', '--no-match-path', 'test/Batch.t.sol'],
    env: { ...unitSettings(copy), ESCROW_RUNTIME_CODE: code },
  });
}

function unitSettings(copy: string): Record<string, string> {
  return {
    FOUNDRY_OPTIMIZER: 'false',
    FOUNDRY_FUZZ_RUNS: '16',
    FOUNDRY_FUZZ_FAILURE_PERSIST_DIR: path.join(copy, `failures-${performance.now()}`),
  };
}

/** The reason and name on forge's first failure line. A run that failed otherwise (it did not compile) is an error. */
function failedTest(output: string): string {
  const line = output.split('\n').find((candidate) => candidate.includes('[FAIL'));
  if (line === undefined) throw new Error(`forge failed without a failing test:\n${output}`);
  const test = /\] (\w+)\(/.exec(line)?.[1];
  return test ?? (/\[FAIL:? ?([^\]]*)/.exec(line)?.[1] || 'an invariant');
}

async function copyContracts(folder: string): Promise<string> {
  const copy = path.join(folder, 'contracts');
  await cp(contracts, copy, {
    recursive: true,
    filter: (file) => !['out', 'cache', 'node_modules', 'scripts', 'mutation'].includes(path.basename(file)),
  });
  await symlink(path.join(contracts, '..', 'node_modules'), path.join(folder, 'node_modules'));
  await symlink('../node_modules', path.join(copy, 'node_modules'));
  return copy;
}

function print({ mutant, killedBy }: Outcome): void {
  const verdict = killedBy === undefined ? 'SURVIVED' : 'killed';
  const detail = killedBy ?? mutant.equivalent ?? 'no test notices';
  process.stdout.write(`${verdict.padEnd(9)} ${mutant.name} (${mutant.breaks}): ${detail}\n`);
}

function fileOf(mutant: Mutant): string {
  return mutant.file ?? 'PaymentEscrow.sol';
}

function occurrences(text: string, fragment: string): number {
  return text.split(fragment).length - 1;
}
