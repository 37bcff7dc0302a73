/**
 * Background jobs. A job only triggers work: every handler reads its row again under a lock, so running twice does no harm. Jobs
 * are enqueued in the transaction that decides on them, and therefore never lost and never early.
 *
 * A job's flags hold what the queue's own columns do not show:
 *
 * - superseded: the job was added again under its key while it ran, or was removed. The queue clears its key and its attempts, so
 *   that it is never retried. Its successor's row carries the work; this job has not failed.
 * - failed: the job ran out of attempts. It is retried every few minutes and stays failed until it succeeds.
 */
import type { z } from 'zod';
import { type Database, type DatabaseTransaction, Prisma } from '../../prisma/client.ts';

/** A kind of job: its name, the schema of its payload, its number of attempts and its priority. */
export type JobDefinition<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Attempts, with exponential back-off, before it counts as failed; it is then retried every few minutes. */
  maxAttempts: number;
  /** Jobs with lower numbers run first among those that are due (default 0); bulk jobs have a higher number. */
  priority?: number;
};

export function defineJob<Payload>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  return definition;
}

export type AddJobOptions = {
  /** The job does not run before this instant. */
  runAt?: Date;
  /**
   * Waiting jobs with the same key are merged: the newest payload and time replace the earlier ones, with all attempts restored.
   * A running job continues and is not retried; the new job runs after or beside it and does what it could not do.
   */
  key?: string;
};

export const SUPERSEDED = 'superseded';
export const FAILED = 'failed';

/** Conditions on a row of `graphile_worker.jobs`. */
export const isSuperseded = Prisma.sql`coalesce(flags ? ${SUPERSEDED}, false)`;
export const isFailed = Prisma.sql`(NOT ${isSuperseded}
  AND (coalesce(flags ? ${FAILED}, false) OR (locked_at IS NULL AND attempts >= max_attempts)))`;

/** Enqueues a job in the caller's transaction. Returns its id in the queue. */
export async function addJob<Payload>(
  tx: DatabaseTransaction,
  job: JobDefinition<Payload>,
  payload: Payload,
  options: AddJobOptions = {},
): Promise<string> {
  if (options.key !== undefined) await supersede(tx, [options.key]);
  const rows = await tx.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM graphile_worker.add_job(
      ${job.name},
      payload := ${JSON.stringify(payload)}::json,
      run_at := ${options.runAt ?? null}::timestamptz,
      max_attempts := ${job.maxAttempts}::int,
      job_key := ${options.key ?? null},
      priority := ${job.priority ?? 0}::int
    )`;
  return String(rows[0]?.id ?? '');
}

/** A job to add under a key, of several that are added together. */
export type KeyedJob<Payload> = { payload: Payload; key: string; runAt: Date };

/**
 * Enqueues several jobs of one kind in the caller's transaction by one statement, each as `addJob` does. Returns their ids by key. The keys
 * must be distinct.
 */
export async function addJobs<Payload>(
  tx: DatabaseTransaction,
  job: JobDefinition<Payload>,
  jobs: readonly KeyedJob<Payload>[],
): Promise<Map<string, string>> {
  if (jobs.length === 0) return new Map();
  await supersede(
    tx,
    jobs.map(({ key }) => key),
  );
  const rows = await tx.$queryRaw<{ id: bigint; key: string }[]>`
    SELECT id, key FROM graphile_worker.add_jobs(ARRAY(
      SELECT ROW(${job.name}, given.payload, NULL, given."runAt", ${job.maxAttempts}::int, given.key, ${job.priority ?? 0}::int,
        NULL)::graphile_worker.job_spec
      FROM json_to_recordset(${JSON.stringify(jobs)}::json) AS given(payload json, "runAt" timestamptz, key text)))`;
  return new Map(rows.map(({ id, key }) => [key, String(id)]));
}

/** Removes a waiting job in the caller's transaction; a running job runs to its end and is not retried. */
export async function removeJob(tx: DatabaseTransaction, key: string): Promise<void> {
  await supersede(tx, [key]);
  await tx.$queryRaw`SELECT id::text FROM graphile_worker.remove_job(${key})`;
}

/** The keys, of those given, whose job is running or due to run within the next minute. */
export async function keysAtWork(database: Database, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await database.$queryRaw<{ key: string }[]>`
    SELECT key FROM graphile_worker.jobs
    WHERE key = ANY(${keys}) AND (locked_at IS NOT NULL
      OR (attempts < max_attempts AND run_at <= now() + interval '1 minute'))`;
  return new Set(rows.map((row) => row.key));
}

/**
 * Marks the rows of jobs that are running or out of attempts as superseded: the queue will clear their keys and attempts, which
 * alone would look like a failure. Also locks waiting rows, so that no worker starts these jobs before the caller's next statement.
 */
async function supersede(tx: DatabaseTransaction, keys: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE graphile_worker._private_jobs
    SET flags = CASE WHEN is_available THEN flags
      ELSE coalesce(flags, '{}'::jsonb) || jsonb_build_object(${SUPERSEDED}::text, true) END
    WHERE key = ANY(${[...keys]})`;
}
