/** An idle queue: its workers do not poll, and still find every due job. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { transaction } from '../../prisma/client.ts';
import { addJob, defineJob } from '../../src/platform/jobs.ts';
import { silentLog } from '../../src/platform/log.ts';
import { jobEntry, runQueue } from '../../src/platform/queue.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';

const greet = defineJob({ name: 'greet', payload: z.object({ name: z.string() }), maxAttempts: 3 });
const until = (met: () => boolean) => vi.waitUntil(met, { timeout: 20_000, interval: 10 });

async function open() {
  const { database, url, adminUrl } = await freshDatabase();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  onTeardown(() => admin.end());
  const greeted = new Map<string, number>();
  const failing = new Set<string>();
  const jobs = new Map([
    jobEntry(greet, async ({ name }) => {
      if (failing.delete(name)) throw new Error('Not yet.');
      greeted.set(name, performance.now());
    }),
  ]);
  const queue = await runQueue({ url, jobs, log: silentLog });
  onTeardown(() => queue.stop());
  const add = (name: string, inMs = 0) =>
    transaction(database, (tx) => addJob(tx, greet, { name }, { runAt: new Date(Date.now() + inMs) }));
  /** Inserts a job without a notification. */
  const addSilently = async (name: string) => {
    await admin.query('ALTER TABLE graphile_worker._private_jobs DISABLE TRIGGER USER');
    await add(name);
    await admin.query('ALTER TABLE graphile_worker._private_jobs ENABLE TRIGGER USER');
  };
  return { adminUrl, greeted, failing, add, addSilently };
}

it('runs a job on time, retries a failed one on time, and runs several concurrently', async () => {
  const { greeted, failing, add } = await open();
  await delay(500);
  const startedAt = performance.now();
  await add('later', 2_000);
  await add('sooner', 1_000);
  failing.add('failing');
  await add('failing');
  await until(() => greeted.size === 3);
  const after = (name: string) => (greeted.get(name) ?? 0) - startedAt;
  expect(after('sooner')).toBeGreaterThan(900);
  expect(after('sooner')).toBeLessThan(6_000);
  expect(after('later')).toBeGreaterThan(1_900);
  expect(after('later')).toBeLessThan(7_000);
  // The queue waits e seconds after the first failure.
  expect(after('failing')).toBeLessThan(8_500);
}, 30_000);

it('finds a job whose notification was lost', async () => {
  const { greeted, addSilently } = await open();
  await delay(500);
  await addSilently('lost');
  await until(() => greeted.has('lost'));
}, 30_000);

it('polls while it cannot listen', async () => {
  const { adminUrl, greeted, addSilently } = await open();
  const killer = new pg.Client({ connectionString: adminUrl });
  await killer.connect();
  onTeardown(() => killer.end());
  await delay(500);
  // The listening connection is ended whenever it exists.
  const ending = setInterval(() => {
    killer
      .query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'sluice-queue' AND query ILIKE 'LISTEN%'`,
      )
      .catch(() => undefined);
  }, 20);
  onTeardown(async () => clearInterval(ending));
  await delay(300);
  const startedAt = performance.now();
  await addSilently('unheard');
  await until(() => greeted.has('unheard'));
  expect(performance.now() - startedAt).toBeLessThan(6_000);
}, 40_000);
