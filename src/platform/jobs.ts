/**
 * Background work. A job only rings: every handler reads its row again under a lock, so that running twice does no
 * harm. Enqueued inside the transaction that decides, and so never lost and never early.
 */
import type { z } from 'zod';
import type { DatabaseTransaction } from '../../prisma/client.ts';

/** A kind of job: its name, what its payload must be, how often it is tried, and what it lets pass. */
export type JobDefinition<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Attempts before graphile-worker leaves it to `ops`; its back-off grows exponentially. */
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
  /** Waiting jobs of the same key are one job: the newest payload and time win. */
  key?: string;
};

/** Enqueues a job in the caller's transaction. Returns its id in the queue. */
export async function addJob<Payload>(
  tx: DatabaseTransaction,
  job: JobDefinition<Payload>,
  payload: Payload,
  options: AddJobOptions = {},
): Promise<string> {
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

/** Takes a waiting job back, in the caller's transaction; one that runs already runs to its end. */
export async function removeJob(tx: DatabaseTransaction, key: string): Promise<void> {
  await tx.$queryRaw`SELECT id::text FROM graphile_worker.remove_job(${key})`;
}
