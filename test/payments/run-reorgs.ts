/**
 * `npm run reorgs -- --seed N --steps N --least N`: the random run of payments and reorganisations, as long as one wants,
 * and longer until there were at least so many of both.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '20261122' },
    // About a quarter of the steps are reorganisations.
    steps: { type: 'string', default: '200' },
    least: { type: 'string', default: '0' },
  },
});
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(process.execPath, [vitest, 'run', 'test/payments/random-run.test.ts'], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  stdio: 'inherit',
  env: { ...process.env, RANDOM_SEED: values.seed, RANDOM_STEPS: values.steps, RANDOM_LEAST: values.least },
});
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
