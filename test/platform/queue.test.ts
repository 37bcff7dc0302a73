import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { transaction } from '../../prisma/client.ts';
import { addJob, defineJob } from '../../src/platform/jobs.ts';
import { silentLog } from '../../src/platform/log.ts';
import { jobEntry, type QueueTiming, runQueue } from '../../src/platform/queue.ts';
import { freshDatabase } from '../setup/database/database.ts';

const greet = defineJob({ name: 'greet', payload: z.object({ name: z.string() }), maxAttempts: 3 });
const quick: QueueTiming = { beatMs: 50, silentMs: 60_000, sweepMs: 50, stopMs: 2_000 };

async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await met()) return;
    await delay(20);
  }
  throw new Error('The condition was not met.');
}

it('runs a job after its transaction has committed, and not if it was rolled back', async () => {
  const { database, url } = await freshDatabase();
  const greeted: string[] = [];
  const jobs = new Map([jobEntry(greet, async ({ name }) => greeted.push(name))]);
  const queue = await runQueue({ url, jobs, log: silentLog, timing: quick });
  await transaction(database, async (tx) => {
    await addJob(tx, greet, { name: 'lost' });
    throw new Error('rolled back');
  }).catch(() => undefined);
  await transaction(database, (tx) => addJob(tx, greet, { name: 'kept' }));
  await until(() => greeted.length > 0);
  await queue.stop();
  expect(greeted).toEqual(['kept']);
  expect(await database.queueWorker.count()).toBe(0);
});

it('finishes a running job when it stops, and takes no other', async () => {
  const { database, url } = await freshDatabase();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const seen: string[] = [];
  const jobs = new Map([
    jobEntry(greet, async ({ name }) => {
      seen.push(`begin ${name}`);
      await gate;
      seen.push(`end ${name}`);
    }),
  ]);
  const queue = await runQueue({ url, jobs, log: silentLog, concurrency: 1, timing: quick });
  await transaction(database, (tx) => addJob(tx, greet, { name: 'first' }));
  await until(() => seen.length === 1);
  await transaction(database, (tx) => addJob(tx, greet, { name: 'second' }));
  const stopped = queue.stop();
  release();
  await stopped;
  expect(seen).toEqual(['begin first', 'end first']);
});

it('unlocks the jobs of a dead worker, with or without a heartbeat', async () => {
  const { database, url } = await freshDatabase();
  for (const name of ['beat once', 'never beat']) await transaction(database, (tx) => addJob(tx, greet, { name }));
  await database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 minute',
      locked_by = CASE WHEN payload->>'name' = 'beat once' THEN 'dead-1' ELSE 'dead-2' END`;
  await database.queueWorker.create({ data: { id: 'dead-1', beatAt: new Date(Date.now() - 60_000) } });
  const greeted: string[] = [];
  const jobs = new Map([jobEntry(greet, async ({ name }) => greeted.push(name))]);
  const queue = await runQueue({ url, jobs, log: silentLog, timing: { ...quick, silentMs: 30_000 } });
  await until(() => greeted.length === 2);
  await queue.stop();
  expect(greeted.toSorted()).toEqual(['beat once', 'never beat']);
});

it('unlocks jobs that are locked for it but that it never received, and none that it runs', async () => {
  const { database, url } = await freshDatabase();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const seen: string[] = [];
  const jobs = new Map([
    jobEntry(greet, async ({ name }) => {
      seen.push(name);
      if (name === 'long') await gate;
    }),
  ]);
  const queue = await runQueue({ url, jobs, log: silentLog, timing: { ...quick, silentMs: 300 } });
  await transaction(database, (tx) => addJob(tx, greet, { name: 'long' }));
  await until(() => seen.length === 1);
  // The connection failed after the database had assigned this job to the live worker.
  await database.$executeRaw`
    INSERT INTO graphile_worker._private_jobs (task_id, payload, max_attempts, run_at, attempts, locked_at, locked_by)
    SELECT task_id, '{"name":"lost"}', max_attempts, run_at, 1, now(), locked_by FROM graphile_worker._private_jobs`;
  await until(() => seen.length > 1);
  await delay(600);
  release();
  await queue.stop();
  expect(seen).toEqual(['long', 'lost']);
  expect(await database.$queryRaw`SELECT id FROM graphile_worker._private_jobs`).toEqual([]);
});

it('keeps the jobs of a worker with a heartbeat locked', async () => {
  const { database, url } = await freshDatabase();
  await transaction(database, (tx) => addJob(tx, greet, { name: 'busy' }));
  await database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 minute', locked_by = 'alive'`;
  await database.queueWorker.create({ data: { id: 'alive', beatAt: new Date() } });
  const greeted: string[] = [];
  const jobs = new Map([jobEntry(greet, async ({ name }) => greeted.push(name))]);
  const queue = await runQueue({ url, jobs, log: silentLog, timing: { ...quick, silentMs: 30_000 } });
  await transaction(database, (tx) => addJob(tx, greet, { name: 'other' }));
  await until(() => greeted.length === 1);
  await queue.stop();
  expect(greeted).toEqual(['other']);
});

it('keeps a long-running job locked while its worker has a heartbeat', async () => {
  const { database, url } = await freshDatabase();
  const timing = { ...quick, silentMs: 300 };
  let starts = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const jobs = new Map([
    jobEntry(greet, async () => {
      starts += 1;
      await gate;
    }),
  ]);
  const own = await runQueue({ url, jobs, log: silentLog, timing });
  await transaction(database, (tx) => addJob(tx, greet, { name: 'long' }));
  await until(() => starts === 1);
  const other = await runQueue({ url, jobs, log: silentLog, timing });
  await until(async () => {
    const [row] = await database.$queryRaw<{ old: boolean | null }[]>`
      SELECT locked_at < now() - interval '1 second' AS old FROM graphile_worker._private_jobs`;
    // Null if another process has unlocked it.
    expect(row?.old).not.toBeNull();
    return row?.old === true;
  });
  release();
  await Promise.all([own.stop(), other.stop()]);
  expect(starts).toBe(1);
  expect(await database.$queryRaw`SELECT id FROM graphile_worker._private_jobs`).toEqual([]);
});

it('retries a failed job', async () => {
  const { database, url } = await freshDatabase();
  let runs = 0;
  const jobs = new Map([
    jobEntry(greet, async () => {
      runs += 1;
      if (runs === 1) throw new Error('once');
    }),
  ]);
  const queue = await runQueue({ url, jobs, log: silentLog, timing: quick });
  await transaction(database, (tx) => addJob(tx, greet, { name: 'again' }));
  await until(() => runs === 1);
  await until(async () => {
    const moved = await database.$executeRaw`
      UPDATE graphile_worker._private_jobs SET run_at = now() WHERE attempts = 1 AND locked_by IS NULL`;
    return moved > 0;
  });
  await until(() => runs === 2);
  await queue.stop();
  expect(runs).toBe(2);
});

it('runs a single requested job before a large number of earlier bulk jobs', async () => {
  const { database, url } = await freshDatabase();
  const mass = defineJob({ name: 'mass', payload: z.object({ name: z.string() }), maxAttempts: 3, priority: 10 });
  for (const name of ['one', 'two', 'three']) await transaction(database, (tx) => addJob(tx, mass, { name }));
  await transaction(database, (tx) => addJob(tx, greet, { name: 'late' }));
  const ran: string[] = [];
  const note = async ({ name }: { name: string }) => ran.push(name);
  const jobs = new Map([jobEntry(mass, note), jobEntry(greet, note)]);
  const queue = await runQueue({ url, jobs, log: silentLog, concurrency: 1, timing: quick });
  await until(() => ran.length === 4);
  await queue.stop();
  expect(ran).toEqual(['late', 'one', 'two', 'three']);
});

it('reports a fault while it cannot reach the database, and after it has ended', async () => {
  const { database, url } = await freshDatabase();
  const queue = await runQueue({ url, jobs: new Map(), log: silentLog, timing: { ...quick, silentMs: 300 } });
  expect(queue.faults()).toEqual([]);
  await transaction(database, async (tx) => {
    await tx.$executeRaw`LOCK TABLE queue_worker`;
    await until(() => queue.faults().length > 0);
    expect(queue.faults()).toEqual([expect.stringMatching(/^The queue has not reported to the database for \d+ s\.$/)]);
  });
  await until(() => queue.faults().length === 0);
  await queue.stop();
  expect(queue.faults()).toEqual(['The queue no longer accepts jobs.']);
});
