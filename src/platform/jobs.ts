/**
 * Background work. A job only rings: every handler reads its row again under a lock, so that running twice does no
 * harm. Enqueued inside the transaction that decides, and so never lost and never early.
 *
 * What the queue's own columns do not say of a row is kept in its flags:
 *
 * - superseded: it was added again under its key while it ran, or taken back. The queue takes its key and its attempts
 *   away, so that it is never tried again; the row of its successor carries the work, and this one has not failed.
 * - failed: it ran out of attempts. It is tried again every few minutes and remains failed until it succeeds.
 */
import type { z } from 'zod';
import { type Database, type DatabaseTransaction, Prisma } from '../../prisma/client.ts';

/** A kind of job: its name, what its payload must be, how often it is tried, and what it lets pass. */
export type JobDefinition<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Attempts, with a back-off that grows exponentially, before it counts as failed; it is then tried every few minutes. */
  maxAttempts: number;
  /** Of jobs that are due those of the smallest number go first (default 0): what comes in masses has a higher one. */
  priority?: number;
};

export function defineJob<Payload>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  return definition;
}

export type AddJobOptions = {
  /** Not before this instant. */
  runAt?: Date;
  /**
   * Waiting jobs of the same key are one job: the newest payload and time win, with all attempts. One that runs goes on,
   * and is not tried again: the new one runs after it, or beside it, and does what it could not do.
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
  if (options.key !== undefined) await supersede(tx, options.key);
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

/** Takes a waiting job back, in the caller's transaction; one that runs already runs to its end, and is not tried again. */
export async function removeJob(tx: DatabaseTransaction, key: string): Promise<void> {
  await supersede(tx, key);
  await tx.$queryRaw`SELECT id::text FROM graphile_worker.remove_job(${key})`;
}

/** Of these keys, those whose job runs, or is tried within the next minute. */
export async function keysAtWork(database: Database, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await database.$queryRaw<{ key: string }[]>`
    SELECT key FROM graphile_worker.jobs
    WHERE key = ANY(${keys}) AND (locked_at IS NOT NULL
      OR (attempts < max_attempts AND run_at <= now() + interval '1 minute'))`;
  return new Set(rows.map((row) => row.key));
}

/**
 * Notes on the row of a job that runs, or is out of attempts, that another one takes its place: the queue will take its
 * key and its attempts away, which alone would read as a failure. Locks a waiting row too, so that no worker begins it
 * before the caller's next statement.
 */
async function supersede(tx: DatabaseTransaction, key: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE graphile_worker._private_jobs
    SET flags = CASE WHEN is_available THEN flags
      ELSE coalesce(flags, '{}'::jsonb) || jsonb_build_object(${SUPERSEDED}::text, true) END
    WHERE key = ${key}`;
}
