/**
 * `npm run alarms -- [--scale 10] [--calm-minutes 60] [--faults "the API is suspended,…"] [--write]`: runs the installed Prometheus with
 * a copy of docs/operations/alerts.yml, whose times are divided by `--scale`, next to a separate installation. Each alarm must fire in time
 * for its fault, no alarm may remain after the fault has been removed, and none may fire during the calm that follows. If one of these
 * fails, prints the reasons and exits with code 1. Exits with code 2 if Prometheus is not installed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { type AlarmFault, alarmFaults } from './alarm-faults.ts';
import { openLoad } from './load.ts';
import { type Ground, openGround } from './open-ground.ts';
import { hasPrometheus, rulesFault, startPrometheus } from './prometheus.ts';
import { readReadiness } from './recovery.ts';
import { type ScaledRule, scaleRules } from './scale-rules.ts';
import { type AlarmWatch, watchAlarms } from './watch-alarms.ts';
import { surroundings, writeFigures } from './write-figures.ts';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '10' },
    'calm-minutes': { type: 'string', default: '60' },
    faults: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const scale = Number(values.scale);
const names = values.faults?.split(',').map((name) => name.trim());
const unknown = names?.filter((name) => !alarmFaults.some((fault) => fault.name === name)) ?? [];
if (!(scale >= 1) || unknown.length > 0) {
  console.error(
    `Usage: npm run alarms -- --scale 10 --calm-minutes 60. Faults: ${alarmFaults.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
if (!hasPrometheus()) {
  console.error('There is no program "prometheus" here. On Debian: apt-get install --no-install-recommends prometheus');
  process.exit(2);
}

/** Allows for scrapes, evaluations, and a busy machine. */
const SLACK_SECONDS = 45;
/** The longest range in the rules. An alarm on a counter lasts as long as its range. */
const LONGEST_RANGE_SECONDS = 3_600;
const PATIENCE_MS = 60_000;
/** The time to wait for delayed effects of the last fault. */
const AFTERMATH_MS = 150_000;

type Row = {
  fault: string;
  alarm: string;
  rule: ScaledRule;
  firedMs: number | null;
  clearedMs: number | null;
  seen: string;
};

const startedAt = performance.now();
const print = (line: string) => {
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`);
};
const reasons: string[] = [];
const ruleFault = rulesFault();
if (ruleFault !== undefined) reasons.push(`promtool test rules: ${ruleFault}`);
const rows: Row[] = [];
const { text, rules } = scaleRules(
  readFileSync(join(checkoutFolder, 'docs', 'operations', 'alerts.yml'), 'utf8'),
  scale,
);
print(
  `The times of the rules are divided by ${scale}${[...rules]
    .filter(({ factor }) => factor !== scale)
    .map(({ name, factor }) => `, those of ${name} by ${factor}`)
    .join('')}.`,
);

const ground = await openGround();
const prometheus = await startPrometheus({ folder: ground.folder, rules: text, metricsPorts: ground.metricsPorts });
const watch = watchAlarms(prometheus, print);
let stopping = false;
const stop = async () => {
  stopping = true;
  await watch.stop();
  await prometheus.stop();
  const survivors = await ground.stop();
  if (survivors.length > 0) reasons.push(`${survivors.length} processes were still running after npm start had ended.`);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(130)));
}
try {
  const load = await openLoad(ground, { seed: 1, print });
  const chosen = alarmFaults.filter(({ name }) => names === undefined || names.includes(name));
  for (const fault of chosen) await prove(ground, watch, fault);
  await settle(watch);
  await keepCalm(watch, Number(values['calm-minutes']));
  load.close();
} catch (error) {
  if (!stopping)
    reasons.push(`The run itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}
if (!stopping) await stop();
const heading = `${surroundings()}; times of the rules divided by ${scale}, ${values['calm-minutes']} minutes of calm. ${reasons.length === 0 ? 'All checks passed.' : `${reasons.length} checks failed.`}`;
const table = [
  '| fault | alarm | the rule waits, s | fires after, s | over after, s | `/readyz` while it fires |\n|---|---|---:|---:|---:|---|',
  ...rows.map(({ fault, alarm, rule, firedMs, clearedMs, seen }) => {
    const seconds = (ms: number | null) => (ms === null ? 'never' : (ms / 1000).toFixed(0));
    return `| ${fault} | ${alarm} | ${rule.thresholdSeconds + rule.forSeconds} | ${seconds(firedMs)} | ${seconds(clearedMs)} | ${seen} |`;
  }),
].join('\n');
console.log(`\n${heading}\n\n${table}\n`);
for (const reason of reasons) console.error(`- ${reason}`);
if (values.write) writeFigures('operations/faults.md', `${heading}\n\n${table}`);
process.exit(reasons.length === 0 ? 0 : 1);

/** Waits until no alarm fires any more, including delayed effects of the last fault. */
async function settle({ firing }: AlarmWatch): Promise<void> {
  const limitMs = (LONGEST_RANGE_SECONDS / scale + SLACK_SECONDS + 120) * 1000;
  const since = performance.now();
  print(`All faults are removed. The run takes at least ${AFTERMATH_MS / 1000} s more.`);
  const goesOn = (ms: number) => ms < AFTERMATH_MS || (ms < limitMs && firing().length > 0);
  while (goesOn(performance.now() - since)) await delay(1_000);
  if (firing().length > 0) reasons.push(`Still firing after all faults were removed: ${firing().join(', ')}.`);
}

async function keepCalm({ firing }: AlarmWatch, minutes: number): Promise<void> {
  print(`Calm for ${minutes} minutes.`);
  const seen = new Set<string>();
  const deadline = performance.now() + minutes * 60_000;
  while (performance.now() < deadline) {
    for (const name of firing()) seen.add(name);
    await delay(1_000);
  }
  if (seen.size > 0) reasons.push(`Alarms that fired during the calm: ${[...seen].join(', ')}.`);
}

async function prove(world: Ground, alarms: AlarmWatch, fault: AlarmFault): Promise<void> {
  // An alarm that still fires from an earlier fault proves nothing.
  const limitMs = (LONGEST_RANGE_SECONDS / scale + SLACK_SECONDS) * 1000 + PATIENCE_MS;
  const since = performance.now();
  await Promise.all(fault.alarms.map((alarm) => alarms.untilCleared(alarm, { since, limitMs })));
  const early = fault.alarms.filter((alarm) => alarms.firing().includes(alarm));
  if (early.length > 0) reasons.push(`Alarms that fired before "${fault.name}": ${early.join(', ')}.`);
  print(`${fault.name}: ${fault.alarms.join(', ')}`);
  const struckAt = performance.now();
  const heal = await fault.strike(world);
  const fired = await Promise.all(
    fault.alarms.map(async (alarm) => {
      const rule = rules.find(({ name }) => name === alarm) ?? {
        name: alarm,
        factor: 1,
        forSeconds: 0,
        thresholdSeconds: 0,
      };
      const seconds = rule.forSeconds + rule.thresholdSeconds + (fault.extraSeconds ?? 0) + SLACK_SECONDS;
      const firedMs = await alarms.untilFiring(alarm, { since: struckAt, limitMs: seconds * 1000 });
      if (firedMs === null) reasons.push(`${alarm} did not fire within ${seconds} s after "${fault.name}".`);
      return { alarm, rule, firedMs };
    }),
  );
  const seen = (await readReadiness(world.demo.restUrl)).text.slice(0, 160);
  await heal();
  const healedAt = performance.now();
  for (const { alarm, rule, firedMs } of fired) {
    const row: Row = { fault: fault.name, alarm, rule, firedMs, clearedMs: null, seen };
    rows.push(row);
    void alarms.untilCleared(alarm, { since: healedAt, limitMs }).then((ms) => {
      row.clearedMs = ms;
    });
  }
  // The next fault must not be mistaken for this one. Alarms on counters last as long as their range, so the wait for them is at the end.
  const deadline = performance.now() + PATIENCE_MS;
  while (fault.alarms.some((alarm) => alarms.firing().includes(alarm)) && performance.now() < deadline)
    await delay(500);
}
