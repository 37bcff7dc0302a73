import { checkKernel, type Kernel, kernels } from './check-kernel.ts';
import { startZ3 } from './solve-with-z3.ts';

/**
 * `node contracts/scripts/prove-kernel.ts` proves every assertion of the kernel for all inputs, and fails when one is
 * refuted or undecided.
 */
const solve = await startZ3();
for (const kernel of Object.keys(kernels) as Kernel[]) {
  const startedMs = performance.now();
  const { proved, refuted, undecided } = await checkKernel(solve, { kernel });
  for (const message of [...refuted, ...undecided]) process.stdout.write(`${message}\n`);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(
    `${kernel}: ${proved} assertions proved, ${refuted.length} refuted, ${undecided.length} undecided (${seconds} s)\n`,
  );
  if (refuted.length + undecided.length > 0 || proved === 0) process.exitCode = 1;
}
process.exit();
