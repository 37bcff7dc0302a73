/**
 * Processes jobs of one kind that are due at the same time as one set. Thousands may be due in the same minute, and a statement for hundreds
 * of them costs little more than a statement for one. The worker that runs one of the jobs leases others.
 */
import type { Database } from '../../prisma/client.ts';
import type { JobDefinition } from './jobs.ts';
import type { Log } from './log.ts';

export type TogetherJob<Payload> = {
  job: JobDefinition<Payload>;
  keyOf(payload: Payload): string;
  /** The maximum number of jobs in a set, including the running one. */
  limit: number;
  /** Processes all payloads. Must be safe to repeat, because a failure may leave some of the work done. */
  work(payloads: readonly Payload[]): Promise<unknown>;
};

/** A due job that this worker processes although the queue has not assigned it. */
type Lease<Payload> = { id: string; revision: number; payload: Payload };

/** If the worker dies, its leased jobs become due again after this time. */
const LEASE_SECONDS = 30;
/** After this many consecutive failures, the cause is not a single job. */
const FAILURES_IN_A_ROW = 5;

/**
 * Processes a running job together with others that are due. If that fails, each job is processed separately, so that one failing job does
 * not block the others. A leased job that fails is retried by the queue. Throws the error of the running job, or the fifth of five
 * consecutive errors; jobs that were not reached become due again when their lease ends.
 */
export async function handleTogether<Payload>(
  world: { database: Database; log: Log },
  together: TogetherJob<Payload>,
  own: Payload,
): Promise<void> {
  const { job, work } = together;
  const leases = await leaseDue(world.database, together, own);
  const payloads = [own, ...leases.map(({ payload }) => payload)];
  try {
    await work(payloads);
    return await complete(world.database, leases);
  } catch (error) {
    if (leases.length === 0) throw error;
    world.log.warn(
      { job: job.name, jobs: payloads.length, error },
      'A set of jobs failed; each job is processed separately.',
    );
  }
  await handleEach(world, { together, own, leases });
}

async function handleEach<Payload>(
  world: { database: Database; log: Log },
  { together, own, leases }: { together: TogetherJob<Payload>; own: Payload; leases: readonly Lease<Payload>[] },
): Promise<void> {
  const { job, work } = together;
  const failed = await work([own]).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  let inARow = failed ? 1 : 0;
  for (const lease of leases) {
    try {
      await work([lease.payload]);
      await complete(world.database, [lease]);
      inARow = 0;
    } catch (error) {
      inARow += 1;
      if (inARow >= FAILURES_IN_A_ROW) throw error;
      world.log.error({ job: job.name, payload: lease.payload, error }, 'A job failed. It will be retried.');
      await countFailure(world.database, lease, error);
    }
  }
  if (failed) throw failed.error;
}

/** Leases due jobs of the running job's kind. Jobs that have failed before are neither leased, nor do they lease others. */
async function leaseDue<Payload>(
  database: Database,
  { job, keyOf, limit }: TogetherJob<Payload>,
  own: Payload,
): Promise<Lease<Payload>[]> {
  const rows = await database.$queryRaw<{ id: bigint; revision: number; payload: unknown }[]>`
    WITH due AS (
      SELECT job.id FROM graphile_worker._private_jobs job
      WHERE job.is_available AND job.priority = ${job.priority ?? 0}::int AND job.run_at <= now()
        AND job.attempts = 0 AND job.key IS NOT NULL
        AND job.task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = ${job.name})
        AND NOT EXISTS (SELECT FROM graphile_worker._private_jobs own WHERE own.key = ${keyOf(own)} AND own.attempts > 1)
      ORDER BY job.priority, job.run_at LIMIT ${limit - 1} FOR UPDATE OF job SKIP LOCKED)
    UPDATE graphile_worker._private_jobs job
    SET run_at = now() + ${LEASE_SECONDS} * interval '1 second', updated_at = now()
    FROM due WHERE job.id = due.id RETURNING job.id, job.revision, job.payload`;
  return rows.map(({ id, revision, payload }) => ({ id: String(id), revision, payload: job.payload.parse(payload) }));
}

/** Removes the jobs whose work is done, except those that were added again in the meantime. */
async function complete(database: Database, leases: readonly Lease<unknown>[]): Promise<void> {
  if (leases.length === 0) return;
  await database.$executeRaw`
    DELETE FROM graphile_worker._private_jobs job
    USING json_to_recordset(${JSON.stringify(leases)}::json) AS lease(id bigint, revision int)
    WHERE job.id = lease.id AND job.revision = lease.revision AND job.locked_at IS NULL`;
}

/** Counts a failed attempt, so that the job is not leased again. */
async function countFailure(database: Database, { id, revision }: Lease<unknown>, error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  await database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET attempts = least(attempts + 1, max_attempts - 1), last_error = ${text}, updated_at = now()
    WHERE id = ${BigInt(id)} AND revision = ${revision} AND locked_at IS NULL`;
}
