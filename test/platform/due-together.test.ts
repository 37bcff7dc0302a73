/** Due jobs that the worker of one of them handles together with it, on the queue's own tables. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Database, transaction } from '../../prisma/client.ts';
import { handleTogether } from '../../src/platform/due-together.ts';
import { addJob, defineJob } from '../../src/platform/jobs.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';

const payload = z.object({ name: z.string() });
const job = defineJob({ name: 'done-together', payload, maxAttempts: 5, priority: 7 });
const otherJob = defineJob({ name: 'another-kind', payload, maxAttempts: 5, priority: 7 });
type Named = z.infer<typeof payload>;

let database: Database;
beforeAll(async () => {
  ({ database } = await freshDatabase());
});
beforeEach(async () => {
  await database.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
});

const keyOf = ({ name }: Named) => `named:${name}`;
const PAST = new Date(Date.UTC(2020, 0, 1));
const FUTURE = new Date(Date.UTC(2120, 0, 1));

async function add(names: readonly string[], runAt = PAST): Promise<void> {
  await transaction(database, async (tx) => {
    for (const name of names) await addJob(tx, job, { name }, { runAt, key: keyOf({ name }) });
  });
}

/** Locks a job like the queue when a worker takes it. */
async function take(name: string): Promise<void> {
  await database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'test', attempts = attempts + 1
    WHERE key = ${keyOf({ name })}`;
}

type Row = { name: string; attempts: number; error: string | null; waits: 'due' | 'leased' | 'later' | 'running' };
const rows = () =>
  database.$queryRaw<Row[]>`
    SELECT payload ->> 'name' AS name, attempts, last_error AS error,
      CASE WHEN locked_at IS NOT NULL THEN 'running' WHEN run_at <= now() THEN 'due'
        WHEN run_at <= now() + interval '30 seconds' THEN 'leased' ELSE 'later' END AS waits
    FROM graphile_worker._private_jobs ORDER BY id`;

const handle = (name: string, work: (named: readonly Named[]) => Promise<unknown>, limit = 10) =>
  handleTogether({ database, log: silentLog }, { job, keyOf, limit, work }, { name });

describe('a due job', () => {
  it('includes other due jobs up to the limit, and completes them', async () => {
    await add(['own', 'a', 'b', 'c']);
    await take('own');
    const worked: string[][] = [];
    await handle('own', async (named) => worked.push(named.map(({ name }) => name)), 3);
    expect(worked).toEqual([['own', 'a', 'b']]);
    expect(await rows()).toMatchObject([
      { name: 'own', waits: 'running' },
      { name: 'c', waits: 'due' },
    ]);
  });

  it('is handled alone if the limit is one or no other job is due', async () => {
    await add(['own', 'a']);
    await add(['later'], FUTURE);
    await take('own');
    const worked: number[] = [];
    await handle('own', async (named) => worked.push(named.length), 1);
    expect(worked).toEqual([1]);
    expect(await rows()).toMatchObject([{ waits: 'running' }, { name: 'a', waits: 'due' }, { waits: 'later' }]);
  });

  it('excludes jobs of another kind, without a key, running, or that have failed before', async () => {
    await add(['own', 'failed', 'running']);
    await transaction(database, async (tx) => {
      await addJob(tx, otherJob, { name: 'other' }, { runAt: PAST, key: 'other' });
      await addJob(tx, job, { name: 'keyless' }, { runAt: PAST });
    });
    await take('own');
    await take('running');
    await database.$executeRaw`UPDATE graphile_worker._private_jobs SET attempts = 1 WHERE key = 'named:failed'`;
    const worked: string[] = [];
    await handle('own', async (named) => worked.push(...named.map(({ name }) => name)));
    expect(worked).toEqual(['own']);
  });

  it('includes no other jobs after it has failed', async () => {
    await add(['own', 'a']);
    await take('own');
    await take('own');
    const worked: string[] = [];
    await handle('own', async (named) => worked.push(...named.map(({ name }) => name)));
    expect(worked).toEqual(['own']);
  });

  it('shares the other jobs with a second worker, each with exactly one of them', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
    await add(['one', 'two', ...names]);
    await take('one');
    await take('two');
    const worked: string[] = [];
    const work = async (named: readonly Named[]) => worked.push(...named.map(({ name }) => name));
    await Promise.all([handle('one', work, 7), handle('two', work, 7)]);
    expect(worked.sort()).toEqual(['one', 'two', ...names].sort());
  });

  it('keeps a job that was added again while it ran', async () => {
    await add(['own', 'a', 'b']);
    await take('own');
    await handle('own', () => add(['a'], FUTURE));
    expect(await rows()).toMatchObject([{ name: 'own' }, { name: 'a', waits: 'later' }]);
  });

  it('leaves the other jobs to run by themselves half a minute later if its worker dies', async () => {
    await add(['own', 'a']);
    await take('own');
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    void handle('own', () => {
      begin();
      return new Promise(() => undefined);
    });
    await begun;
    expect(await rows()).toMatchObject([{ waits: 'running' }, { name: 'a', waits: 'leased', attempts: 0 }]);
  });
});

describe('jobs that fail together', () => {
  const failing = (...names: string[]) => {
    return async (named: readonly Named[]) => {
      const bad = named.find(({ name }) => names.includes(name));
      if (bad) throw new Error(`${bad.name} cannot be done.`);
    };
  };

  it('are then handled alone, and only the failing one is retried', async () => {
    await add(['own', 'a', 'bad', 'c']);
    await take('own');
    await handle('own', failing('bad'));
    expect(await rows()).toMatchObject([
      { name: 'own', waits: 'running' },
      { name: 'bad', waits: 'leased', attempts: 1, error: 'bad cannot be done.' },
    ]);
  });

  it('throw the error of the running job after the others were handled', async () => {
    await add(['own', 'a']);
    await take('own');
    await expect(handle('own', failing('own'))).rejects.toThrow('own cannot be done.');
    expect(await rows()).toMatchObject([{ name: 'own', waits: 'running' }]);
  });

  it('stop after five failures in a row, and the rest run by themselves', async () => {
    const bad = ['b1', 'b2', 'b3', 'b4', 'b5'];
    await add(['own', ...bad, 'good']);
    await take('own');
    await expect(handle('own', failing(...bad))).rejects.toThrow('b5 cannot be done.');
    const remaining = await rows();
    expect(remaining.map(({ name, attempts }) => `${name} ${attempts}`)).toEqual([
      'own 1',
      'b1 1',
      'b2 1',
      'b3 1',
      'b4 1',
      'b5 0',
      'good 0',
    ]);
    expect(remaining.slice(1).every(({ waits }) => waits === 'leased')).toBe(true);
  });
});
