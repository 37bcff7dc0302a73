/** Runs attacks by index, and shrinks the attack of every kind of finding. */
import fc from 'fast-check';
import { type Attack, printAttack } from './attack.ts';
import type { Finding } from './evaluate-outcome.ts';
import { hostileAttack } from './hostile-attack.ts';

export type Evaluator = (attack: Attack) => Promise<Finding[]>;

/** The maximum number of attempts to shrink an attack. */
const SMALLER_ATTEMPTS = 60;
/** The number of kinds of findings after which a run ends. */
const CAUSES_MOST = 40;

/** Runs and checks attack `index` of a seed. Does not throw. Shrinks a failing attack to a smaller one with the same findings. */
export async function runAttack(
  { seed, index }: { seed: number; index: number },
  evaluate: Evaluator,
): Promise<Found | undefined> {
  let first: Finding | undefined;
  let smallest: Attack | undefined;
  let attempts = 0;
  const property = fc.asyncProperty(hostileAttack, async (attack) => {
    if (first && ++attempts > SMALLER_ATTEMPTS) return;
    const findings = await evaluate(attack);
    const found = first ? findings.find(({ cause }) => cause === first?.cause) : findings[0];
    if (!found) return;
    first ??= found;
    smallest = attack;
    throw new Error(found.words);
  });
  await fc.check(property, { seed: seedOf(seed, index), numRuns: 1, unbiased: true });
  return first && smallest && { seed, index, finding: first, smallest };
}

export type Found = { seed: number; index: number; finding: Finding; smallest: Attack };

/** Runs attacks `from` to `from + count`, and throws a single error with the smallest attack of every cause that was found. */
export async function runAttacks(
  { seed, from = 0, count }: { seed: number; from?: number; count: number },
  evaluate: Evaluator,
): Promise<void> {
  const causes = new Map<string, Found>();
  const once: Evaluator = async (attack) => (await evaluate(attack)).filter(({ cause }) => !causes.has(cause));
  for (let index = from; index < from + count && causes.size < CAUSES_MOST; index++) {
    const found = await runAttack({ seed, index }, once);
    if (found) causes.set(found.finding.cause, found);
  }
  if (causes.size > 0) throw new Error([...causes.values()].map(printFound).join('\n\n'));
}

export function printFound({ seed, index, finding, smallest }: Found): string {
  return `${finding.cause} (npm run fuzz -- --seed ${seed} --index ${index})\n${finding.words}\n${printAttack(smallest)}`;
}

/** Adjacent indexes of adjacent seeds result in unrelated attacks. */
function seedOf(seed: number, index: number): number {
  return (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) | 0;
}
