import { fileURLToPath } from 'node:url';
import { releasedEscrowCode } from './released-code.ts';
import { runForge } from './run-forge.ts';

/**
 * `node contracts/scripts/compare-kernel.ts [--sequences <number>] [--seed <number>]` makes random sequences of calls to
 * the released code of the escrow and to the kernel, and fails when one accepts what the other refuses, or when states
 * or anybody's balance differ. The default is 100,000 sequences from a seed of the clock. A difference names the
 * sequence's own seed: `--sequences 1 --seed <that>` repeats it.
 */
const contracts = fileURLToPath(new URL('..', import.meta.url));
const processes = 2;
const perRun = 500;
const sequences = Number(argument('--sequences') ?? '100000');
const seed = BigInt(argument('--seed') ?? Date.now());

const settings = {
  FOUNDRY_SKIP: '[]',
  FOUNDRY_SRC: 'test/kernel',
  FOUNDRY_TEST: 'test/kernel',
  FOUNDRY_OUT: 'out/kernel',
  FOUNDRY_CACHE_PATH: 'cache/kernel',
  // Of the test and the kernel, not of the escrow, whose code is the release's.
  FOUNDRY_OPTIMIZER_RUNS: '1',
  FOUNDRY_GAS_LIMIT: '9223372036854775807',
};

process.exitCode = await compare();

async function compare(): Promise<number> {
  const build = await runForge(contracts, { args: ['build'], env: settings });
  if (build.status !== 0) return report(build.output);
  const startedMs = performance.now();
  const code = releasedEscrowCode();
  const starts = Array.from({ length: Math.ceil(sequences / perRun) }, (_, index) => index * perRun);
  let failure: string | undefined;
  await Promise.all(
    Array.from({ length: processes }, async () => {
      for (let start = starts.shift(); start !== undefined && failure === undefined; start = starts.shift()) {
        const env = {
          ...settings,
          ESCROW_RUNTIME_CODE: code,
          KERNEL_SEED: String(seed + BigInt(start)),
          KERNEL_SEQUENCES: String(Math.min(perRun, sequences - start)),
        };
        const run = await runForge(contracts, { args: ['test'], env });
        if (run.status !== 0) failure ??= run.output;
      }
    }),
  );
  if (failure !== undefined) return report(failure);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`kernel and escrow agree over ${sequences} sequences (seed ${seed}, ${seconds} s)\n`);
  return 0;
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

function report(output: string): number {
  process.stdout.write(`${output}\nseed ${seed}\n`);
  return 1;
}
