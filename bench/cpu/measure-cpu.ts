import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Bench } from '../bench.ts';
import { forkServer } from '../fork-server.ts';
import { percentile } from '../load.ts';
import { seedIntents } from '../seed-intents.ts';
import { type Role, type Snapshot, spentBetween, takeSnapshot } from './processes.ts';
import { type Sent, sendCalls } from './send-calls.ts';

const WARM_UPS = 30;
const IDS = 20_000;
const PAGES = 50;
const DRAIN_LIMIT_MS = 120_000;
const REST_MS = 20_000;
/** An installation uses more after its start, and less once its local chains make blocks more rarely. */
const SETTLING_LIMIT = 20;
const SETTLED_MS_A_SECOND = 10;

type Row = { name: string; calls: number; ours: () => Sent; reference: () => Sent };
type Round = { cpuMs: ReadonlyMap<Role, number>; elapsedMs: number; perSecond: number; spansMs: readonly number[] };

/**
 * CPU time of a request over all processes of the installation and its Postgres, beside `node:http` and `pg` with the same rows
 * and relations, in alternating rounds; medians. What the installation uses at rest is subtracted, and a round ends when no job
 * is left and every consumer has read its app's last event, so that what a request sets off is counted as its cost. Linux only.
 */
export async function measureCpu({ installation, sizes, print }: Bench): Promise<string> {
  const { demo, databaseUrl, folder } = installation;
  await createPattern(demo);
  await seedIntents(databaseUrl, { appId: demo.appId, count: sizes.rows });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const reference = await forkServer('cpu/reference-server.ts', { DATABASE_URL: databaseUrl, APP_ID: demo.appId });
  const snapshot = () => takeSnapshot(folder, reference.pid);
  try {
    const ids = await database.query<{ id: string }>(
      'SELECT id FROM payment_intent WHERE app_id = $1 ORDER BY random() LIMIT $2',
      [demo.appId, IDS],
    );
    await settled(database, snapshot);
    const rows: string[] = [];
    const resting: string[] = [];
    for (const row of rowsOf(
      demo,
      reference.url,
      ids.rows.map(({ id }) => id),
    )) {
      // What is subtracted is measured right before: a local chain makes fewer blocks after some minutes.
      const rest = await restingCost(database, snapshot);
      const byRole = [...rest.byRole].map(([role, ms]) => `${role} ${ms.toFixed(0)}`).join(', ');
      resting.push(
        `At rest, before "${row.name}", all processes use ${rest.total.toFixed(0)} ms of CPU a second (${byRole}).`,
      );
      rows.push(await compare({ database, snapshot, rest, rounds: Math.min(sizes.rounds, 10) }, row));
      print(rows.at(-1) ?? '');
    }
    return `| out of ${sizes.rows.toLocaleString('en')} | CPU ms of ours | of the reference | CPU, ratio | ours, a second | throughput, ratio | p50 ms | p99 ms | by process, CPU ms |\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n${rows.join('\n')}\n\n${resting.join('\n')}`;
  } finally {
    reference.stop();
    await database.query('DROP SCHEMA IF EXISTS reference CASCADE');
    await database.end();
  }
}

/** The reference writes copies of the newest intent and of an event, so there must be one of each. */
async function createPattern({ restUrl, secretKey }: Bench['installation']['demo']): Promise<void> {
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json' };
  await sendCalls(
    () => ({ url: `${restUrl}/payments/intents`, method: 'POST', headers, body: '{"amount":"12.50"}' }),
    1,
  );
}

function rowsOf(demo: Bench['installation']['demo'], referenceUrl: string, ids: readonly string[]): Row[] {
  const headers = { 'x-api-key': demo.secretKey, 'content-type': 'application/json' };
  const anyId = () => ids[Math.floor(Math.random() * ids.length)] ?? '';
  const anyPage = () => Math.floor(Math.random() * PAGES) + 1;
  const rest = (path: string): Sent => ({ url: `${demo.restUrl}${path}`, method: 'GET', headers });
  const graphql = (query: string, variables?: object): Sent => {
    return { url: demo.graphqlUrl, method: 'POST', headers, body: JSON.stringify({ query, variables }) };
  };
  const read = (path: string): Sent => ({ url: `${referenceUrl}${path}`, method: 'GET' });
  const body = () => JSON.stringify({ amount: '12.50', metadata: { order: crypto.randomUUID() } });
  const one = `query One($id: ID!) { paymentIntent(id: $id) { id amount currency status createdAt updatedAt metadata captureMode } }`;
  return [
    {
      name: 'a request that reads nothing',
      calls: 6_000,
      ours: () => graphql('{ __typename }'),
      reference: () => read('/nothing'),
    },
    {
      name: 'REST, one intent',
      calls: 3_000,
      ours: () => rest(`/payments/intents/${anyId()}`),
      reference: () => read(`/one/${anyId()}`),
    },
    {
      name: 'GraphQL, one intent',
      calls: 3_000,
      ours: () => graphql(one, { id: anyId() }),
      reference: () => read(`/one/${anyId()}`),
    },
    {
      name: 'REST, a page of 20 with its total',
      calls: 600,
      ours: () => rest(`/payments/intents?pageSize=20&page=${anyPage()}`),
      reference: () => read(`/page/${(anyPage() - 1) * 20}`),
    },
    {
      name: 'create, with all that it sets off',
      calls: 600,
      ours: () => ({ url: `${demo.restUrl}/payments/intents`, method: 'POST', headers, body: body() }),
      reference: () => ({ url: `${referenceUrl}/create`, method: 'POST', body: body() }),
    },
  ];
}

type Rest = { total: number; byRole: ReadonlyMap<Role, number> };
type Ground = { database: pg.Client; snapshot: () => Snapshot; rest: Rest; rounds: number };

/** CPU milliseconds a second while nothing is asked. */
async function restingCost(database: pg.Client, snapshot: () => Snapshot): Promise<Rest> {
  await drained(database);
  const [before, startedAt] = [snapshot(), performance.now()];
  await delay(REST_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const spent = [...spentBetween(before, snapshot())].filter(([role]) => role !== 'reference');
  const byRole = new Map(spent.map(([role, ms]) => [role, ms / seconds]));
  return { total: sum(byRole.values()), byRole };
}

/** Waits until what the installation uses at rest no longer falls. */
async function settled(database: pg.Client, snapshot: () => Snapshot): Promise<void> {
  let before = await restingCost(database, snapshot);
  for (let reading = 0; reading < SETTLING_LIMIT; reading++) {
    const now = await restingCost(database, snapshot);
    if (Math.abs(before.total - now.total) < SETTLED_MS_A_SECOND) return;
    before = now;
  }
}

async function compare(ground: Ground, { name, calls, ours, reference }: Row): Promise<string> {
  const { rest, rounds } = ground;
  const restingPostgres = rest.byRole.get('Postgres') ?? 0;
  const seen: { own: number; bare: number; mine: Round; reference: Round }[] = [];
  for (let round = 0; round < rounds; round++) {
    const bare = await runRound(ground, reference, calls);
    const mine = await runRound(ground, ours, calls);
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

async function runRound({ database, snapshot }: Ground, next: () => Sent, calls: number): Promise<Round> {
  await sendCalls(next, WARM_UPS);
  await drained(database);
  const [before, startedAt] = [snapshot(), performance.now()];
  const { perSecond, spansMs } = await sendCalls(next, calls);
  await drained(database);
  return { cpuMs: spentBetween(before, snapshot()), elapsedMs: performance.now() - startedAt, perSecond, spansMs };
}

/** Waits until nothing that a request set off is left to do. */
async function drained(database: pg.Client): Promise<void> {
  const until = performance.now() + DRAIN_LIMIT_MS;
  while (performance.now() < until) {
    const left = await database.query<{ count: number }>(
      `SELECT (SELECT count(*) FROM graphile_worker._private_jobs WHERE run_at <= now() AND attempts < max_attempts)::int
        + (SELECT count(*) FROM event_consumer consumer JOIN event_cursor cursor USING (app_id)
           WHERE consumer.position < cursor.last_sequence)::int AS count`,
    );
    if (left.rows[0]?.count === 0) return delay(2_000);
    await delay(250);
  }
  throw new Error('The queue and the consumers did not drain.');
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
