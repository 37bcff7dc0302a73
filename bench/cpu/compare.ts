import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Bench } from '../bench.ts';
import { percentile } from '../load/load.ts';
import type { ForkedServer } from '../servers/fork-server.ts';
import { cpuBetween, type Role, type Snapshot, takeSnapshot } from './processes.ts';
import { type Sent, sendCalls } from './send-calls.ts';

const WARM_UPS = 30;
const DRAIN_LIMIT_MS = 120_000;
const REST_MS = 20_000;
/** An installation uses more CPU time after its start, and less once its local chains mine blocks less often. */
const SETTLING_LIMIT = 20;
const SETTLED_MS_A_SECOND = 10;

export type Row = {
  name: string;
  calls: number;
  /** The number of requests in flight, by default eight. */
  connections?: number;
  ours: () => Sent;
  reference: () => Sent;
};
type Round = { cpuMs: ReadonlyMap<Role, number>; elapsedMs: number; perSecond: number; spansMs: readonly number[] };

/**
 * CPU time of a request over all processes of the installation and its Postgres, beside a reference server with the same rows, in
 * alternating rounds; medians. The installation's idle load is subtracted, and a round ends when no job is left and every consumer has read
 * its app's last event, so that the work that a request causes is part of its cost. Linux only.
 */
export async function compareAll(
  { installation, sizes, print }: Bench,
  { reference, rows }: { reference: ForkedServer; rows: readonly Row[] },
): Promise<string> {
  const database = new pg.Client({ connectionString: installation.databaseUrl });
  await database.connect();
  const snapshot = () => takeSnapshot(installation.folder, reference.pid);
  try {
    await delay(sizes.restMs);
    await settled(database, snapshot);
    const lines: string[] = [];
    const resting: string[] = [];
    for (const row of rows) {
      // The idle load is measured right before, because a local chain mines fewer blocks after some minutes.
      const rest = await restingCost(database, snapshot);
      const byRole = [...rest.byRole].map(([role, ms]) => `${role} ${ms.toFixed(0)}`).join(', ');
      resting.push(
        `At rest, before "${row.name}", all processes use ${rest.total.toFixed(0)} ms of CPU a second (${byRole}).`,
      );
      lines.push(await compare({ database, snapshot, rest, rounds: Math.min(sizes.rounds, 10) }, row));
      print(lines.at(-1) ?? '');
    }
    return `| out of ${sizes.rows.toLocaleString('en')} | CPU ms of ours | of the reference | CPU, ratio | ours, a second | throughput, ratio | p50 ms | p99 ms | by process, CPU ms |\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n${lines.join('\n')}\n\n${resting.join('\n')}`;
  } finally {
    await database.end();
  }
}

type Rest = { total: number; byRole: ReadonlyMap<Role, number> };
type Ground = { database: pg.Client; snapshot: () => Snapshot; rest: Rest; rounds: number };

/** CPU milliseconds per second without requests. */
async function restingCost(database: pg.Client, snapshot: () => Snapshot): Promise<Rest> {
  await drained(database);
  const [before, startedAt] = [snapshot(), performance.now()];
  await delay(REST_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = [...cpuBetween(before, snapshot())].filter(([role]) => role !== 'reference');
  const byRole = new Map(used.map(([role, ms]) => [role, ms / seconds]));
  return { total: sum(byRole.values()), byRole };
}

/** Waits until the installation's idle load no longer decreases. */
async function settled(database: pg.Client, snapshot: () => Snapshot): Promise<void> {
  let before = await restingCost(database, snapshot);
  for (let reading = 0; reading < SETTLING_LIMIT; reading++) {
    const now = await restingCost(database, snapshot);
    if (Math.abs(before.total - now.total) < SETTLED_MS_A_SECOND) return;
    before = now;
  }
}

async function compare(ground: Ground, row: Row): Promise<string> {
  const { rest, rounds } = ground;
  const { name, calls, connections } = row;
  const restingPostgres = rest.byRole.get('Postgres') ?? 0;
  const seen: { own: number; bare: number; mine: Round; reference: Round }[] = [];
  for (let round = 0; round < rounds; round++) {
    const bare = await runRound(ground, row.reference, { calls, connections });
    const mine = await runRound(ground, row.ours, { calls, connections });
    const gross = sum([...mine.cpuMs].filter(([role]) => role !== 'reference').map(([, ms]) => ms));
    const own = (gross - (rest.total * mine.elapsedMs) / 1000) / calls;
    const bareMs = (bare.cpuMs.get('reference') ?? 0) + (bare.cpuMs.get('Postgres') ?? 0);
    seen.push({ own, bare: (bareMs - (restingPostgres * bare.elapsedMs) / 1000) / calls, mine, reference: bare });
  }
  const of = (value: (one: (typeof seen)[number]) => number) => percentile(seen.map(value), 50);
  const roles = [...new Set(seen.flatMap(({ mine }) => [...mine.cpuMs.keys()]))].filter((role) => role !== 'reference');
  const byRole = roles.map((role) => {
    const resting = rest.byRole.get(role) ?? 0;
    const own = of(({ mine }) => ((mine.cpuMs.get(role) ?? 0) - (resting * mine.elapsedMs) / 1000) / calls);
    return `${role} ${own.toFixed(2)}`;
  });
  return `| ${name} | ${of(({ own }) => own).toFixed(2)} | ${of(({ bare }) => bare).toFixed(2)} | ${of(({ own, bare }) => own / bare).toFixed(1)} | ${of(({ mine }) => mine.perSecond).toFixed(0)} | ${of(({ mine, reference: bare }) => mine.perSecond / bare.perSecond).toFixed(2)} | ${of(({ mine }) => percentile(mine.spansMs, 50)).toFixed(1)} | ${of(({ mine }) => percentile(mine.spansMs, 99)).toFixed(1)} | ${byRole.join(', ')} |`;
}

async function runRound(
  { database, snapshot }: Ground,
  next: () => Sent,
  { calls, connections }: { calls: number; connections: number | undefined },
): Promise<Round> {
  await sendCalls(next, WARM_UPS, connections);
  await drained(database);
  const [before, startedAt] = [snapshot(), performance.now()];
  const { perSecond, spansMs } = await sendCalls(next, calls, connections);
  await drained(database);
  return { cpuMs: cpuBetween(before, snapshot()), elapsedMs: performance.now() - startedAt, perSecond, spansMs };
}

/** Waits until all work that the requests caused is done. */
async function drained(database: pg.Client): Promise<void> {
  const until = performance.now() + DRAIN_LIMIT_MS;
  while (performance.now() < until) {
    const pending = await database.query<{ count: number }>(
      `SELECT (SELECT count(*) FROM graphile_worker._private_jobs WHERE run_at <= now() AND attempts < max_attempts)::int
        + (SELECT count(*) FROM event_consumer consumer JOIN event_cursor cursor USING (app_id)
           WHERE consumer.position < cursor.last_sequence)::int AS count`,
    );
    if (pending.rows[0]?.count === 0) return delay(2_000);
    await delay(250);
  }
  throw new Error('The queue and the consumers did not drain.');
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
