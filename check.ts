/**
 * The one command that checks everything: types, lint, dead code, drift of what is published, the tests of the README's
 * test command and the contract's. With `--all`, also what takes minutes more. It ends with a line `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

type Step = { name: string; command: string[] };

/** Ends a step that hangs. The tests take 16 to 24 minutes on two free cores, and 50 on a shared machine that is busy. */
const STEP_LIMIT_MS = 90 * 60_000;
const MAX_FILES_TRIED_AGAIN = 5;

/** They need no part of an installation, and run beside the tests with what those leave of the processors; the longest one first. */
const stepsAside: Step[] = [
  // Takes minutes after a change to the contract or its tests, and a second otherwise.
  { name: 'contract verification', command: ['npm', 'run', '--silent', 'contracts:verify'] },
  { name: 'types', command: ['npm', 'run', '--silent', 'types'] },
  { name: 'lint', command: ['npm', 'run', '--silent', 'lint'] },
  { name: 'dead code', command: ['npm', 'run', '--silent', 'dead'] },
  { name: 'drift', command: ['npm', 'run', '--silent', 'drift'] },
  { name: 'OpenAPI lint', command: ['npm', 'run', '--silent', 'lint:openapi'] },
];

/**
 * They take minutes. The mutants show that the tests and the proof of the contract can fail, and change with the contract only; the samples are
 * the examples and the code in the documentation; the shops install the frameworks that the plugins are for.
 */
const longSteps: Step[] = [
  { name: 'samples', command: ['npm', 'run', '--silent', 'samples'] },
  { name: 'contract verification, again', command: ['npm', 'run', '--silent', 'contracts:verify', '--', '--always'] },
  { name: 'contract mutants', command: ['npm', 'run', '--silent', 'contracts:mutate', '--', '--quick'] },
  { name: 'kernel mutants', command: ['npm', 'run', '--silent', 'contracts:prove-mutants', '--', '--quick'] },
  { name: 'Medusa shop', command: ['node', 'shops/medusa/check.ts'] },
  { name: 'Vendure shop', command: ['npm', 'run', '--silent', 'shops:vendure'] },
];

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});
type Report = z.infer<typeof reportSchema>;

const [isAll, only] = [process.argv.includes('--all'), process.argv.slice(2).filter((name) => name !== '--all')];
const folder = mkdtempSync(join(tmpdir(), 'sluice-check-'));
/** Steps beside the tests that failed, each with the end of its output. They are repeated at the end, which is all that many CI pages show. */
const failures: string[] = [];
let passed = 0;
let failed = 0;
try {
  const aside = runStepsAside();
  if (isWanted('tests')) await runTests();
  await aside;
  if (isAll) for (const step of longSteps) await runStep(step, run);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.log(`\nFAILED: ${failure}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function isWanted(name: string): boolean {
  return only.length === 0 || only.includes(name);
}

async function runStep({ name, command }: Step, start: typeof run): Promise<void> {
  if (!isWanted(name)) return;
  if (await start(name, command)) passed += 1;
  else failed += 1;
}

/** Two at a time: most of them use one processor, and both are free when the tests have ended. */
async function runStepsAside(): Promise<void> {
  const waiting = [...stepsAside];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) await runStep(step, runAside);
  };
  await Promise.all([lane(), lane()]);
}

/** The README's test command; files that fail run once more, alone, and what passes only then is named as unstable. */
async function runTests(): Promise<void> {
  const file = join(folder, 'vitest.json');
  const clean = await run('tests', [
    'npm',
    'test',
    '--',
    '--reporter=default',
    '--reporter=json',
    '--reporter=./test/setup/slowest-files.ts',
    `--outputFile=${file}`,
  ]);
  const report = readReport(file);
  if (!report) {
    failed += 1;
    return;
  }
  passed += report.numPassedTests;
  const broken = report.testResults.filter((result) => result.status !== 'passed');
  if (broken.length === 0) {
    if (!clean) failed += 1;
    return;
  }
  for (const result of broken) printFailures(result);
  if (broken.length > MAX_FILES_TRIED_AGAIN) {
    failed += Math.max(report.numFailedTests, broken.length);
    return;
  }
  for (const result of broken) {
    const again = join(folder, 'again.json');
    const good = await run(`again, alone: ${result.name}`, [
      'npm',
      'test',
      '--',
      result.name,
      '--reporter=json',
      `--outputFile=${again}`,
    ]);
    const second = readReport(again);
    if (good && second) {
      console.log(`UNSTABLE: ${result.name} failed once and passed alone`);
      passed += Math.max(
        second.numPassedTests - result.assertionResults.filter((one) => one.status === 'passed').length,
        0,
      );
    } else {
      for (const still of second?.testResults ?? []) printFailures(still);
      failed += Math.max(second?.numFailedTests ?? 1, 1);
    }
  }
}

function printFailures(result: Report['testResults'][number]): void {
  console.log(`\nFAILED in ${result.name}`);
  if (result.message) console.log(result.message.slice(0, 4000));
  for (const one of result.assertionResults.filter((test) => test.status === 'failed')) {
    console.log(`  × ${one.fullName}\n${(one.failureMessages ?? []).join('\n').slice(0, 2000)}`);
  }
}

function readReport(file: string): Report | undefined {
  try {
    return reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function run(name: string, command: string[]): Promise<boolean> {
  console.log(`\n== ${name}`);
  return ending(name, command, 'inherit');
}

/** With the lowest priority, and what it prints is printed in one piece when it has ended. */
async function runAside(name: string, command: string[]): Promise<boolean> {
  const file = join(folder, `${name}.txt`);
  const output = openSync(file, 'w');
  try {
    const isClean = await ending(name, command, output, () =>
      console.log(`\n== ${name}\n${readFileSync(file, 'utf8')}`),
    );
    if (!isClean) failures.push(`${name}\n${readFileSync(file, 'utf8').slice(-2000)}`);
    return isClean;
  } finally {
    closeSync(output);
  }
}

function ending(
  name: string,
  [program = 'npm', ...rest]: string[],
  output: 'inherit' | number,
  beforeReport?: () => void,
): Promise<boolean> {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: ['inherit', output, output] });
    if (typeof output === 'number' && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const limit = setTimeout(() => {
      console.log(`== ${name}: killed after ${STEP_LIMIT_MS / 60_000} minutes, the limit of a step`);
      child.kill('SIGKILL');
    }, STEP_LIMIT_MS);
    child.on('close', (code) => {
      clearTimeout(limit);
      beforeReport?.();
      console.log(`== ${name}: ${code === 0 ? 'ok' : 'FAILED'} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
      resolve(code === 0);
    });
  });
}
