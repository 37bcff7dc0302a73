/**
 * An installation on several machines, all on this one: first its primary database is killed under load and everything is counted
 * afterwards, then the CPU time of a job is measured with 1, 2 and 4 workers. Needs `node bench/scale/install-packages.ts`.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf, cpuMsOfFamily } from '../cpu/processes.ts';
import { openCluster } from './cluster.ts';
import { killPrimary, loseIndexer } from './kill-primary.ts';
import { openMachines } from './machines.ts';
import { checkOnce, type ScaleWorld, seedDue, untilPaid } from './scale-world.ts';

const WORKERS = [1, 2, 4];
/** Seeding takes less time than this, so it is not counted. */
const SEED_MS = 20_000;

export async function measureScale({ sizes, print }: Pick<ScaleWorld, 'sizes' | 'print'>): Promise<string> {
  // The server's user must have access.
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
    const jobs = await measureJobs(world);
    return `${killed}\n\n${jobs}\n\n${await loseIndexer(world)}`;
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
  const { machines, sizes, print } = world;
  const rows: string[] = [];
  for (const count of WORKERS) {
    await machines.runWorkers(count);
    // A new process compiles its code first, which costs more than a few renewals.
    await untilPaid(world, await seedDue(world, new Date()));
    const dueAt = Date.now() + SEED_MS;
    const seeded = await seedDue(world, new Date(dueAt));
    if (Date.now() > dueAt) throw new Error('Seeding took too long.');
    await delay(dueAt - Date.now());
    const before = readCpu(world);
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
  const head = groups.map(({ title }) => title).join(' | ');
  return [
    `| workers and sender keys | ${head} |`,
    `|---:|${groups.map(() => '---:|').join('')}`,
    ...rows,
    '',
    `CPU time per renewal in milliseconds, for ${sizes.jobs} renewals that are due at once, in processes that have already processed as many. It includes the background work of the processes. All machines share two cores, so the figures show the cost of a job and not the speed-up by additional workers.`,
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
  // PostgreSQL is counted separately, even where it is a child process of Patroni.
  return new Map(
    [...pids].map(([name, pid]) => [name, name.startsWith('patroni') ? cpuMsOf(pid) : cpuMsOfFamily(pid)]),
  );
}
