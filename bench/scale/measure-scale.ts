/**
 * An installation on several machines, all on this one: first its primary database is killed under load and everything is counted
 * afterwards, then the CPU time of a job is measured with 1, 2 and 4 workers. Needs `node bench/scale/install-packages.ts`.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { localAccounts } from '../../src/local/local-accounts.ts';
import type { Sizes } from '../bench.ts';
import { cpuMsOf, cpuMsOfFamily } from '../cpu/processes.ts';
import { requireOnceEach } from '../measure-renewals.ts';
import { type SeededRenewals, seedRenewals } from '../seed-renewals.ts';
import { type Cluster, openCluster, until } from './cluster.ts';
import { killPrimary } from './kill-primary.ts';
import { type Machines, openMachines } from './machines.ts';

export type ScaleWorld = { cluster: Cluster; machines: Machines; sizes: Sizes; print: (line: string) => void };

const WORKERS = [1, 2, 4];
const JOB_LIMIT_MS = 240_000;

export async function measureScale({ sizes, print }: Pick<ScaleWorld, 'sizes' | 'print'>): Promise<string> {
  // Open to the server's user.
  const folder = join(tmpdir(), `sluice-scale-${crypto.randomUUID()}`);
  mkdirSync(folder, { mode: 0o755 });
  const closers: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (let next = closers.pop(); next; next = closers.pop()) await next().catch((error) => print(String(error)));
  };
  process.once('SIGINT', () => void close().finally(() => process.exit(130)));
  try {
    const cluster = await openCluster({ folder: join(folder, 'cluster'), print });
    closers.push(cluster.stop);
    const machines = await openMachines(cluster, { folder: join(folder, 'parts'), print });
    closers.push(machines.stop);
    const world = { cluster, machines, sizes, print };
    const killed = await killPrimary(world);
    return `${killed}\n\n${await measureJobs(world)}`;
  } catch (error) {
    if (process.env.SCALE_KEEP !== undefined) {
      print(`Kept: ${folder}`);
      await delay(Number(process.env.SCALE_KEEP) * 1_000);
    }
    throw error;
  } finally {
    await close();
  }
}

/** CPU milliseconds of a renewal by part, with different numbers of workers and as many sender keys. */
async function measureJobs(world: ScaleWorld): Promise<string> {
  const { cluster, machines, sizes, print } = world;
  const rows: string[] = [];
  for (const count of WORKERS) {
    await machines.runWorkers(count);
    const before = readCpu(world);
    const seeded = await seedDue(world, new Date());
    await untilPaid(world, seeded);
    const after = readCpu(world);
    await checkOnce(world, seeded);
    const each = groups.map((group) => {
      const sumOf = (cpu: ReadonlyMap<string, number>) =>
        [...cpu].reduce((sum, [name, ms]) => (group.has(name) ? sum + ms : sum), 0);
      return ((sumOf(after) - sumOf(before)) / sizes.jobs).toFixed(1);
    });
    rows.push(`| ${count} | ${each.join(' | ')} |`);
    print(rows.at(-1) ?? '');
  }
  const [primary] = [await cluster.primary()];
  print(`The primary is ${primary}.`);
  const head = groups.map(({ title }) => title).join(' | ');
  return [
    `| workers and sender keys | ${head} |`,
    `|---:|${groups.map(() => '---:|').join('')}`,
    ...rows,
    '',
    `CPU milliseconds of one of ${sizes.jobs} renewals that are due at once, what the parts do beside it included. Two cores for all machines together: these figures say what a job costs, and nothing about how fast more workers are.`,
  ].join('\n');
}

const groups = [
  { title: 'workers', has: (name: string) => name.startsWith('worker') },
  { title: 'indexers with Ponder', has: (name: string) => name.startsWith('indexer') },
  { title: 'APIs', has: (name: string) => name.startsWith('api') },
  { title: 'both PostgreSQL', has: (name: string) => name.startsWith('PostgreSQL') },
  { title: 'pgbouncer and HAProxy', has: (name: string) => name === 'pgbouncer' || name === 'haproxy' },
  { title: 'Patroni and etcd', has: (name: string) => name.startsWith('patroni') || name === 'etcd' },
] as const;

function readCpu({ cluster, machines }: ScaleWorld): Map<string, number> {
  const pids = new Map([...cluster.pids(), ...machines.pids()]);
  // PostgreSQL is counted by itself, and may be a child of Patroni.
  return new Map(
    [...pids].map(([name, pid]) => [name, name.startsWith('patroni') ? cpuMsOf(pid) : cpuMsOfFamily(pid)]),
  );
}

export async function seedDue({ cluster, machines, sizes }: ScaleWorld, dueAt: Date): Promise<SeededRenewals> {
  const operator = localAccounts.operator.address;
  return await seedRenewals(cluster.directUrl, { demo: machines.demo, count: sizes.jobs, operator, dueAt });
}

export async function untilPaid({ cluster, sizes }: ScaleWorld, { productPlanId }: SeededRenewals): Promise<void> {
  await until(
    `${sizes.jobs} paid renewals`,
    async () => {
      await delay(900);
      const rows = await ask(
        cluster,
        `SELECT count(*) AS count FROM invoice WHERE status = 'PAID'
           AND subscription_id IN (SELECT id FROM subscription WHERE product_plan_id = $1)`,
        [productPlanId],
      );
      return Number(rows[0]?.count) >= sizes.jobs;
    },
    JOB_LIMIT_MS,
  );
}

export async function checkOnce(world: ScaleWorld, seeded: SeededRenewals): Promise<void> {
  await connected(world.cluster, (client) =>
    requireOnceEach(client, { seeded, count: world.sizes.jobs, print: world.print }),
  );
}

export async function ask(cluster: Cluster, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return await connected(cluster, async (client) => (await client.query(text, values)).rows);
}

async function connected<Answer>(cluster: Cluster, work: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client({ connectionString: cluster.adminUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
