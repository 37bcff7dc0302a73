/** Kills the primary database under load, and compares what was acknowledged to clients with what the new primary contains. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { followEvents, type LiveFeed } from '../../test/chaos/live-feed.ts';
import type { SeededRenewals } from '../seeds/seed-renewals.ts';
import { until } from './cluster.ts';
import { ask, checkOnce, type ScaleWorld, seedDue, untilPaid } from './scale-world.ts';
import { type Created, type Merchant, startWriteLoad, type WriteLoad } from './write-load.ts';

/** Concurrent calls for each merchant, and connections that follow its events. */
const LANES = 4;
const FEEDS = 3;
/** How long the new primary is left without a standby, so that the write stop shows. */
const ALONE_MS = 10_000;
const REPEATS = 300;
const CATCH_UP_MS = 120_000;
const SETTLE_MS = 5_000;

export async function killPrimary(world: ScaleWorld): Promise<string> {
  const { machines, sizes, print } = world;
  const merchants = await openMerchants(world);
  const feeds = merchants.flatMap((merchant) => Array.from({ length: FEEDS }, () => follow(machines.apiUrl, merchant)));
  const load = startWriteLoad(machines.apiUrl, { merchants, lanes: LANES });
  try {
    const seeded = await seedDue(world, new Date(Date.now() + sizes.calmSeconds * 1_000));
    await delay(sizes.calmSeconds * 1_000);
    const times = await failOver(world, load);
    await delay(sizes.calmSeconds * 1_000);
    const switchedMs = await switchOver(world, load);
    await loseApi(world);
    await delay(sizes.calmSeconds * 1_000);
    await load.end();
    await untilPaid(world, seeded);
    const checked = await verifyCounts(world, { merchants, feeds, load, seeded });
    return [timesTable(load, { ...times, switchedMs }), '', ...checked].join('\n');
  } finally {
    await load.end().catch((error: unknown) => print(String(error)));
    for (const feed of feeds) feed.close();
  }
}

function follow(apiUrl: string, { name, key }: Merchant): LiveFeed {
  return followEvents({ graphqlUrl: `${apiUrl}/graphql` }, { name, key });
}

async function openMerchants({ machines }: ScaleWorld): Promise<Merchant[]> {
  const { demo } = machines;
  const made = async <Shape extends z.ZodType>(shape: Shape, ...args: string[]) =>
    z.tuple([shape]).parse(await machines.operate(args))[0];
  const { merchantId } = await made(
    z.looseObject({ merchantId: z.string() }),
    'merchant',
    'create',
    '--name',
    'Second',
  );
  const app = ['app', 'create', '--merchant', merchantId, '--name', 'Second', '--mode', 'test'];
  const { appId } = await made(z.looseObject({ appId: z.string() }), ...app);
  const { key } = await made(z.looseObject({ key: z.string() }), 'key', 'create', '--app', appId, '--kind', 'secret');
  return [
    { name: 'First', appId: demo.appId, key: demo.secretKey },
    { name: 'Second', appId, key },
  ];
}

type Times = {
  killedAt: number;
  promotedAt: number;
  returnedAt: number;
  standbyAt: number;
  waiting: number;
  reads: number;
};

async function failOver({ cluster, machines, print }: ScaleWorld, load: WriteLoad): Promise<Times> {
  const primary = await cluster.primary();
  const standby = await cluster.synchronousStandby();
  if (!primary || !standby) throw new Error('The cluster has no primary or no synchronous standby.');
  const killedAt = performance.now();
  cluster.kill(primary);
  machines.kill('worker 1');
  print(`${load.created.length} intents are created; the primary (${primary}) and a worker are killed.`);
  await until(`${standby} to be promoted`, async () => (await cluster.primary()) === standby);
  const promotedAt = performance.now();
  print(`${standby} is the primary after ${seconds(promotedAt - killedAt)} s, and has no standby.`);
  await delay(ALONE_MS);
  const [row] = await ask(cluster, `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  const reads = await fetch(`${machines.apiUrl}/payments/intents?pageSize=1`, {
    headers: { 'x-api-key': machines.demo.secretKey },
    signal: AbortSignal.timeout(10_000),
  }).then(
    ({ status }) => status,
    () => 0,
  );
  const returnedAt = performance.now();
  cluster.start(primary);
  await until(`${primary} to be the synchronous standby`, async () => (await cluster.synchronousStandby()) === primary);
  const standbyAt = performance.now();
  print(`${primary} is a synchronous standby ${seconds(standbyAt - returnedAt)} s after its start.`);
  await until('a write', async () => load.answers.some(({ atMs, kind }) => kind === 'created' && atMs > standbyAt));
  return { killedAt, promotedAt, returnedAt, standbyAt, waiting: Number(row?.count), reads };
}

type Evidence = {
  merchants: readonly Merchant[];
  feeds: readonly LiveFeed[];
  load: WriteLoad;
  seeded: SeededRenewals;
};

/** Throws if anything was lost, duplicated or out of order. */
async function verifyCounts(world: ScaleWorld, { merchants, feeds, load, seeded }: Evidence): Promise<string[]> {
  const { cluster, print, sizes } = world;
  const faults: string[] = [];
  const lines: string[] = ['| what was counted after the failover | found | expected |', '|---|---:|---:|'];
  const expect = (what: string, found: number, wanted: number) => {
    lines.push(`| ${what} | ${found} | ${wanted} |`);
    print(`${what}: ${found} of ${wanted}`);
    if (found !== wanted) faults.push(`${what}: ${found} instead of ${wanted}.`);
  };
  const { created } = load;
  const rows = await ask(
    cluster,
    `SELECT id, metadata ->> 'order' AS "order" FROM payment_intent WHERE metadata ->> 'order' = ANY($1)`,
    [created.map(({ order }) => order)],
  );
  const ids = new Map(rows.map(({ id, order }) => [order, id]));
  expect(
    'acknowledged intents that exist under the acknowledged ID',
    created.filter(({ id, order }) => ids.get(order) === id).length,
    created.length,
  );
  expect('intents of these requests', rows.length, created.length);
  const again = [...created.filter(({ attempts }) => attempts > 1), ...sample(created, REPEATS)];
  const same = await Promise.all(again.map(async (call) => (await load.repeat(call)) === call.id));
  expect('repeated Idempotency-Keys that returned the same intent', same.filter(Boolean).length, again.length);
  const sequences = new Map<string, number>();
  for (const { name, appId } of merchants) {
    const [row] = await ask(
      cluster,
      'SELECT count(*) AS count, count(DISTINCT sequence) AS distinct, coalesce(max(sequence), 0) AS last FROM event WHERE app_id = $1',
      [appId],
    );
    const last = Number(row?.last);
    sequences.set(appId, last);
    expect(`events of ${name}, numbered 1 to ${last} without a gap`, Number(row?.count), last);
    expect(`different sequence numbers of ${name}`, Number(row?.distinct), last);
  }
  const ends = merchants.flatMap(({ appId }) => Array.from({ length: FEEDS }, () => sequences.get(appId) ?? 0));
  const caughtUp = () => feeds.filter((feed, index) => feed.last() >= (ends[index] ?? 0)).length;
  await until('the feeds to catch up', async () => caughtUp() === feeds.length, CATCH_UP_MS).catch(() => undefined);
  expect('event feeds that have every event', caughtUp(), feeds.length);
  expect(
    'events that a feed received twice, out of order or not at all',
    feeds.flatMap((feed) => feed.gaps()).length,
    0,
  );
  await checkOnce(world, seeded);
  expect('renewals charged exactly once by the contract, with one invoice each', sizes.jobs, sizes.jobs);
  const leading = await world.machines.leadingIndexers();
  expect('indexers that lead', leading.length, 1);
  expect('advisory locks that the standby grants', (await isLockGrantedByStandby(world)) ? 1 : 0, 0);
  if (faults.length > 0) throw new Error(faults.join(' '));
  return [
    ...lines,
    '',
    `The ${feeds.length} feeds needed ${feeds.reduce((sum, feed) => sum + feed.connections(), 0)} connections.`,
  ];
}

async function isLockGrantedByStandby({ cluster }: ScaleWorld): Promise<boolean> {
  const standby = await cluster.synchronousStandby();
  if (!standby) throw new Error('The cluster has no synchronous standby.');
  const locks = openAdvisoryLocks({ url: cluster.urlOf(standby), log: silentLog });
  try {
    return await locks.tryWith('scale', async () => undefined);
  } finally {
    await locks.close();
  }
}

function sample(created: readonly Created[], count: number): Created[] {
  const step = Math.max(1, Math.floor(created.length / count));
  return created.filter((_, index) => index % step === 0).slice(0, count);
}

/** The longest time without an acknowledged write while the primary's role is handed over. */
async function switchOver({ cluster, print }: ScaleWorld, load: WriteLoad): Promise<number> {
  const [primary, standby] = [await cluster.primary(), await cluster.synchronousStandby()];
  if (!primary || !standby) throw new Error('The cluster has no primary or no synchronous standby.');
  const startedAt = performance.now();
  await cluster.switchOver(primary, standby);
  const switchedAt = performance.now();
  await until('a write', async () => load.answers.some(({ atMs, kind }) => kind === 'created' && atMs > switchedAt));
  await until('a synchronous standby', async () => (await cluster.synchronousStandby()) === primary);
  await delay(SETTLE_MS);
  const times = load.answers.filter(({ atMs, kind }) => kind === 'created' && atMs > startedAt).map(({ atMs }) => atMs);
  const tookMs = Math.max(...times.map((atMs, index) => atMs - (times[index - 1] ?? startedAt)));
  print(`A switchover to ${standby} stopped writes for ${seconds(tookMs)} s.`);
  return tookMs;
}

/** Kills an API, whose clients reconnect to the other one, and starts it again. */
async function loseApi({ machines, print }: ScaleWorld): Promise<void> {
  machines.kill('api 1');
  print('api 1 is killed.');
  await delay(SETTLE_MS);
  await machines.restart('api 1');
}

/** Kills the indexer that leads, and returns how long it took until the other one led. */
export async function loseIndexer({ machines, print }: ScaleWorld): Promise<string> {
  const [leading] = await machines.leadingIndexers();
  if (!leading) throw new Error('No indexer leads.');
  const killedAt = performance.now();
  machines.kill(leading);
  await until('the other indexer to lead', async () => (await machines.leadingIndexers()).length === 1);
  const tookMs = performance.now() - killedAt;
  print(`${leading} is killed; the other one leads after ${seconds(tookMs)} s.`);
  return `When the leading indexer was killed, the other one led after ${seconds(tookMs)} s.`;
}

function timesTable({ answers, created }: WriteLoad, times: Times & { switchedMs: number }): string {
  const { switchedMs, killedAt, promotedAt, returnedAt, standbyAt, waiting, reads } = times;
  const acknowledged = answers.filter(({ kind }) => kind === 'created').map(({ atMs }) => atMs);
  const last = acknowledged.filter((atMs) => atMs < promotedAt).at(-1) ?? killedAt;
  const first = acknowledged.find((atMs) => atMs > promotedAt) ?? Number.NaN;
  const failed = answers.filter(({ atMs, kind }) => kind !== 'created' && atMs > killedAt && atMs < first);
  const kinds = Map.groupBy(failed, ({ kind }) => kind);
  const rows = [
    ['the standby was promoted', promotedAt - killedAt],
    ['the killed node was started again', returnedAt - killedAt],
    ['a write succeeded again', first - killedAt],
    ['Patroni reported the killed node as the synchronous standby', standbyAt - killedAt],
  ] as const;
  return [
    '| after the primary was killed | s |',
    '|---|---:|',
    ...rows.map(([what, ms]) => `| ${what} | ${seconds(ms)} |`),
    `| from the last write before to the first write after | ${seconds(first - last)} |`,
    `| from the first failed write to the first that succeeded | ${seconds(first - (failed[0]?.atMs ?? first))} |`,
    '',
    `${created.length} intents of 2 merchants, ${LANES} calls at a time each. ${failed.length} requests failed during this time: ${[
      ...kinds,
    ]
      .map(([kind, all]) => `${all.length} ${kind}`)
      .join(
        ', ',
      )}. While the new primary had no standby, ${waiting} commits waited for one, and a list request returned status ${reads}. A later switchover by Patroni stopped writes for ${seconds(switchedMs)} s.`,
  ].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
