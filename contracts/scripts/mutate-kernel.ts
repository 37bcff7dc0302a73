import { readFile } from 'node:fs/promises';
import { type KernelMutant, paymentKernelMutants } from '../mutation/kernel-mutants.ts';
import { moneyKernelMutants } from '../mutation/money-kernel-mutants.ts';
import { checkKernel, kernels } from './check-kernel.ts';
import { startZ3 } from './solve-with-z3.ts';

/**
 * `node contracts/scripts/mutate-kernel.ts [--quick] [--only <part of a name or kernel>]` breaks one rule of the kernel
 * at a time and expects the model checker to refute an assertion. Fails on a mutant without a counterexample, and on one
 * whose fragment is not found exactly once.
 */
const quick = process.argv.includes('--quick');
const onlyAt = process.argv.indexOf('--only');
const only = onlyAt < 0 ? '' : (process.argv[onlyAt + 1] ?? '');
const kernelMutants = [...paymentKernelMutants, ...moneyKernelMutants];
const chosen = kernelMutants.filter(
  (mutant) => (!quick || mutant.quick) && `${mutant.name} ${mutant.kernel}`.includes(only),
);

const startedMs = performance.now();
const unfit = [];
for (const mutant of kernelMutants) if (!(await apply(mutant))) unfit.push(mutant);
for (const mutant of unfit) process.stdout.write(`not found exactly once: ${mutant.name}\n`);

let refuted = 0;
if (unfit.length === 0) {
  const solve = await startZ3();
  for (const mutant of chosen) {
    const source = await apply(mutant);
    const proof = await checkKernel(solve, { kernel: mutant.kernel, source, untilRefuted: true });
    if (proof.refuted.length > 0) refuted += 1;
    const verdict = proof.refuted.length > 0 ? 'refuted' : 'SURVIVED';
    const assertion = /assert\(.*/.exec(proof.refuted[0] ?? '')?.[0] ?? '';
    process.stdout.write(`${verdict.padEnd(9)} ${mutant.name} (${mutant.breaks}): ${assertion}\n`);
  }
}
const seconds = Math.round((performance.now() - startedMs) / 1000);
process.stdout.write(`${chosen.length} mutants of the kernel, ${refuted} refuted (${seconds} s)\n`);
const complete = unfit.length === 0 && chosen.length > 0 && refuted === chosen.length;
process.exit(complete ? 0 : 1);

/** The mutant's source; undefined when its fragment is not found exactly once. */
async function apply({ kernel, find, replace }: KernelMutant): Promise<string | undefined> {
  const source = await readFile(new URL(`../${kernels[kernel]}`, import.meta.url), 'utf8');
  return source.split(find).length === 2 ? source.replace(find, () => replace) : undefined;
}
