/**
 * Jobs of one kind that are due at the same time, handled together by the worker that runs one of them: thousands may be due in the
 * same minute, and statements for hundreds of them cost little more than those for one.
 */
import type { Database } from '../../prisma/client.ts';
import type { JobDefinition } from './jobs.ts';
import type { Log } from './log.ts';

export type TogetherJob<Payload> = {
  job: JobDefinition<Payload>;
  keyOf(payload: Payload): string;
  /** How many are handled together. */
  limit: number;
  /** Does the work of all payloads. Safe to repeat, because a failure may leave some of it done. */
  work(payloads: readonly Payload[]): Promise<unknown>;
};

/** A due job that this worker has taken along. */
type Lease<Payload> = { id: string; revision: number; payload: Payload };

/** A job that was taken along runs by itself after this time if its worker has died. */
const LEASE_SECONDS = 30;
/** After so many failures in a row, something other than a single job is at fault. */
const FAILURES_IN_A_ROW = 5;

/**
 * Does the work of a running job, and with it that of others that are due. If that fails, each is handled by itself, so that one that
 * fails does not hold up the others. Those that fail are retried by their own jobs; throws if the running one fails.
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
    world.log.warn({ job: job.name, jobs: payloads.length, error }, 'Jobs failed together; each is handled alone.');
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
      world.log.error({ job: job.name, payload: lease.payload, error }, 'A job failed; it is tried again.');
      await countFailure(world.database, lease, error);
    }
  }
  if (failed) throw failed.error;
}

/**
 * Takes due jobs of the kind of the running one along. Jobs that have failed before are left alone, and a running job that has failed
 * before takes none.
 */
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

/** Ends the jobs whose work is done, except those that were added again meanwhile. */
async function complete(database: Database, leases: readonly Lease<unknown>[]): Promise<void> {
  if (leases.length === 0) return;
  await database.$executeRaw`
    DELETE FROM graphile_worker._private_jobs job
    USING json_to_recordset(${JSON.stringify(leases)}::json) AS lease(id bigint, revision int)
    WHERE job.id = lease.id AND job.revision = lease.revision AND job.locked_at IS NULL`;
}

/** Counts a failure, so that the job is not taken along again. */
async function countFailure(database: Database, { id, revision }: Lease<unknown>, error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  await database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET attempts = least(attempts + 1, max_attempts - 1), last_error = ${text}, updated_at = now()
    WHERE id = ${BigInt(id)} AND revision = ${revision} AND locked_at IS NULL`;
}
