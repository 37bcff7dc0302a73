/** The queries of the test clock. Times in the queue's table are the clock's until a job is released or has been attempted. */
import { runStatement } from '../../prisma/brief-transaction.ts';
import { type Database, type DatabaseTransaction, Prisma, type TestClock } from '../../prisma/client.ts';

export const clockChannel = 'sluice_test_clock';
export const targetChannel = 'sluice_test_clock_target';
const ID = 1;
/** A job retried within this time is waited for; one with a longer delay uses real time and blocks nothing. */
const SOON = '10 seconds';

export function readClock(database: Database | DatabaseTransaction): Promise<TestClock | null> {
  return database.testClock.findUnique({ where: { id: ID } });
}

/** How far the clock is ahead, in milliseconds, as an expression for a larger statement. */
export const offsetMs = Prisma.sql`coalesce((SELECT offset_ms FROM test_clock WHERE id = 1), 0)::float8`;

export async function readOffset(database: Database): Promise<number> {
  const [row] = await runStatement<{ offset_ms: number }>(database, Prisma.sql`SELECT ${offsetMs} AS offset_ms`);
  return row?.offset_ms ?? 0;
}

/** Locks the row and returns it; creates it if it is missing. */
export async function lockClock(tx: DatabaseTransaction): Promise<TestClock> {
  await tx.$executeRaw`INSERT INTO test_clock (id, updated_at) VALUES (${ID}, now()) ON CONFLICT (id) DO NOTHING`;
  await tx.$queryRaw`SELECT id FROM test_clock WHERE id = ${ID} FOR UPDATE`;
  return tx.testClock.findUniqueOrThrow({ where: { id: ID } });
}

export async function setTarget(tx: DatabaseTransaction, targetAt: Date, isNew: boolean): Promise<TestClock> {
  const data = { targetAt, ...(isNew ? { stops: 0, fault: null } : {}) };
  await tx.$queryRaw`SELECT pg_notify(${targetChannel}, '')::text`;
  return await tx.testClock.update({ where: { id: ID }, data });
}

/** Moves the clock to the next stop, and notifies every process at the commit. */
export async function writeOffset(tx: DatabaseTransaction, offsetMs: number): Promise<void> {
  await tx.testClock.update({ where: { id: ID }, data: { offsetMs: BigInt(offsetMs), stops: { increment: 1 } } });
  await tx.$queryRaw`SELECT pg_notify(${clockChannel}, ${String(offsetMs)})::text`;
}

/** Ends the advance to `targetAt`, on arrival or with a `fault`. On arrival, a later target stays set. */
export async function endAdvance(database: Database, targetAt: Date, fault: string | null): Promise<void> {
  const where = fault === null ? { id: ID, targetAt } : { id: ID };
  await database.testClock.updateMany({ where, data: { targetAt: null, fault } });
}

/** Makes all jobs ready that are due by the test clock; retries wait in real time. */
export async function releaseJobs(database: Database, now: Date): Promise<void> {
  await database.$queryRaw`
    WITH released AS (
      UPDATE graphile_worker._private_jobs SET run_at = now()
      WHERE run_at > now() AND run_at <= ${now} AND attempts = 0 AND locked_at IS NULL RETURNING id
    )
    SELECT pg_notify('jobs:insert', json_build_object('r', random()::text, 'count', count(*))::text)::text
    FROM released HAVING count(*) > 0`;
}

/** The number of jobs that are running, ready, or retried soon. */
export async function jobsAtWork(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM graphile_worker.jobs
    WHERE locked_at IS NOT NULL OR (attempts < max_attempts
      AND (run_at <= now() OR (attempts > 0 AND run_at <= now() + ${SOON}::interval)))`;
  return row?.count ?? 0;
}

/** The number of events not yet handled by a consumer, including one that waits a few seconds for its next attempt. */
export async function eventsToHandle(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<{ count: number }[]>`
    SELECT coalesce(sum(cursor.last_sequence - consumer.position), 0)::int AS count
    FROM event_consumer consumer JOIN event_cursor cursor ON cursor.app_id = consumer.app_id
    WHERE consumer.position < cursor.last_sequence`;
  return row?.count ?? 0;
}

/** The installation's senders with a transaction that is due to be sent or is not confirmed yet. */
export async function sendersUnderWay(database: Database, now: Date): Promise<{ chainId: number; sender: string }[]> {
  return await database.$queryRaw<{ chainId: number; sender: string }[]>`
    SELECT DISTINCT chain_id AS "chainId", sender FROM outgoing_transaction
    WHERE status IN ('SIGNED', 'SENT') OR (status = 'MINED' AND confirmed_at IS NULL)
       OR (status = 'QUEUED' AND (not_before IS NULL OR not_before <= ${now}))`;
}

/** When something is due next after `now`; null if nothing is. */
export async function nextDue(database: Database, now: Date): Promise<Date | null> {
  const [row] = await database.$queryRaw<{ due: Date | null }[]>`
    SELECT least(
      (SELECT min(run_at) FROM graphile_worker.jobs
       WHERE run_at > ${now} AND attempts = 0 AND locked_at IS NULL),
      (SELECT min(not_before) FROM outgoing_transaction WHERE status = 'QUEUED' AND not_before > ${now}),
      (SELECT min(expires_at) FROM payment_intent WHERE status = 'CREATED' AND expires_at > ${now})
    ) AS due`;
  return row?.due ?? null;
}
