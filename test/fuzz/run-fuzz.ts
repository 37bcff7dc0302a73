/**
 * `npm run fuzz -- --seed N --requests N --attacks N`: sends unusual requests and hostile inputs. The seed defaults to a new one each time.
 * `--index N` repeats a single hostile input and prints the outcome.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    requests: { type: 'string' },
    attacks: { type: 'string' },
    index: { type: 'string' },
  },
});
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const given = Object.entries(values).map(([name, value]) => [`FUZZ_${name.toUpperCase()}`, value]);
const child = spawn(
  process.execPath,
  [vitest, 'run', '--config', 'test/fuzz/vitest.config.ts', ...(values.index === undefined ? [] : ['hostile.fuzz.ts'])],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, ...Object.fromEntries(given) },
  },
);
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
