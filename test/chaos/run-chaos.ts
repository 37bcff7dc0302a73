/**
 * `npm run chaos -- --minutes 30 --seed 7 [--faults "kill -9 api,database hang"] [--longest-seconds 60] [--rest-minutes 10] [--write]`:
 * runs a mixed load on a separate installation, and injects faults in an order determined by the seed. Then removes all faults and checks
 * all invariants. Prints the recovery times. `--write` writes them to docs/reliability.md. If an invariant is violated, prints the reasons
 * and exits with code 1. See docs/reliability.md.
 */
import { parseArgs } from 'node:util';
import { seeded } from '../setup/database/seeded.ts';
import { countBy, evaluateRun } from './evaluate-run.ts';
import { faultNames, planBlows } from './faults.ts';
import { openLoad } from './load.ts';
import { openGround } from './open-ground.ts';
import { recoveryTable } from './recovery.ts';
import { strikeUntil } from './strike-until.ts';
import { surroundings, writeFigures } from './write-figures.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '7' },
    faults: { type: 'string' },
    'longest-seconds': { type: 'string' },
    'rest-minutes': { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const names = values.faults?.split(',').map((name) => name.trim()) ?? faultNames;
const unknown = names.filter((name) => !faultNames.includes(name));
if (!(minutes > 0) || !Number.isInteger(seed) || unknown.length > 0) {
  console.error(`Usage: npm run chaos -- --minutes 30 --seed 7. Faults: ${faultNames.join(', ')}.`);
  process.exit(2);
}
// In a short run, no single fault may take most of the time.
const longestSeconds = Number(values['longest-seconds'] ?? Math.max(5, Math.min(60, Math.round(minutes * 5))));

const startedAt = performance.now();
const print = (line: string) => {
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`);
};

print(`Seed ${seed}, ${minutes} minutes of faults of at most ${longestSeconds} s.`);
const ground = await openGround({ LOG_LEVEL: process.env.LOG_LEVEL ?? 'info' });
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
    void ground.stop().finally(() => process.exit(130));
  });
}
const reasons: string[] = [];
let table = '';
try {
  print('The installation is running.');
  const load = await openLoad(ground, { seed, print });
  const blows = planBlows(seeded(seed), {
    names,
    chainIds: ground.demo.chains.map(({ chainId }) => chainId),
    appIds: load.shops.map(({ appId }) => appId),
    longestSeconds,
  });
  const struck = await strikeUntil({ ground, load, print }, { blows, limitMs: minutes * 60_000 });
  reasons.push(...struck.reasons);
  print('All faults are removed. The load ends, and pending work is completed.');
  reasons.push(...(await load.end({ limitMs: Number(values['rest-minutes']) * 60_000 })));
  if (!ground.hasEnded()) {
    const verdict = await evaluateRun(load.evidence());
    reasons.push(...verdict.reasons);
    for (const fact of verdict.facts) print(fact);
  }
  for (const fact of load.facts()) print(fact);
  load.close();
  table = recoveryTable(struck.measured);
  print(`Faults: ${countBy(struck.measured, ({ fault }) => fault)}.`);
} catch (error) {
  reasons.push(`The run itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
} finally {
  if (!interrupted) {
    const survivors = await ground.stop();
    if (survivors.length > 0)
      reasons.push(`${survivors.length} processes were still running after npm start had ended.`);
  }
}
const verdict = reasons.length === 0 ? 'All checks passed.' : `${reasons.length} checks failed.`;
const heading = `${surroundings()}; ${minutes} minutes, seed ${seed}. ${verdict}`;
console.log(`\n${heading}\n\n${table}\n`);
for (const reason of reasons) console.error(`- ${reason}`);
if (values.write) writeFigures('reliability.md', `${heading}\n\n${table}`);
process.exit(reasons.length === 0 ? 0 : 1);
