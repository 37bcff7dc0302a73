/** The queries of the consumers' cursors. Leases and attempts use the database's clock. */
import { runStatement } from '../../../prisma/brief-transaction.ts';
import { type Database, type DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import type { ReactedEvent } from '../react.ts';
import { reactJob } from '../react-job.ts';
import { eventsBetween } from '../store.ts';
import { queueingWithin } from '../webhooks/queue-deliveries.ts';
import { BATCH } from './consumer.ts';

/** A consumer's cursor that lags behind its app's sequence. */
export type Pair = { consumer: string; appId: string };

/** Longer than a turn with one slow reaction, so that a lease outlives its holder's work. */
const LEASE_MS = 30_000;
/** The number of events that one statement searches for those with reactions. */
const WINDOW = 1_000;
/** A job of an earlier version is no longer waited for once it has failed as often as an event's reaction may fail. */
const WAITED_ATTEMPTS = 3;
const PAIRS_LIMIT = 1_000;

/** The cursors that have something to handle now and are not being moved. */
export async function pairsBehind(database: Database): Promise<Pair[]> {
  return await runStatement<Pair>(
    database,
    Prisma.sql`
      SELECT consumer.consumer, consumer.app_id AS "appId"
      FROM event_consumer consumer JOIN event_cursor cursor ON cursor.app_id = consumer.app_id
      WHERE consumer.position < cursor.last_sequence AND ${isFree} LIMIT ${Prisma.raw(String(PAIRS_LIMIT))}`,
  );
}

/** Whether jobs of an earlier version are still waiting; their events precede the cursors' first events. */
export async function hasOldJobs(database: Database): Promise<boolean> {
  const [row] = await database.$queryRaw<{ exist: boolean }[]>`
    SELECT EXISTS (SELECT FROM graphile_worker.jobs
      WHERE task_identifier = ${reactJob.name} AND attempts < ${WAITED_ATTEMPTS}) AS exist`;
  return row?.exist ?? false;
}

const isFree = Prisma.sql`(consumer.leased_until IS NULL OR consumer.leased_until <= now())
  AND (consumer.next_attempt_at IS NULL OR consumer.next_attempt_at <= now())`;

/** The query `behind`: locks the cursor if it lags behind and no other process is moving it. */
function behind(consumer: string, appId: string, limit: number): Prisma.Sql {
  return Prisma.sql`
    behind AS (
      SELECT consumer.position + 1 AS first, least(cursor.last_sequence, consumer.position + ${Prisma.raw(String(limit))}) AS last,
        cursor.last_sequence
      FROM event_consumer consumer JOIN event_cursor cursor ON cursor.app_id = consumer.app_id
      WHERE consumer.consumer = ${consumer} AND consumer.app_id = ${appId}::uuid
        AND consumer.position < cursor.last_sequence AND ${isFree}
      FOR UPDATE OF consumer SKIP LOCKED
    )`;
}

export type Queued = { hasMore: boolean; deliveries: number };

/** Queues deliveries of the next events and moves the cursor past them, in one statement; null if there is nothing to do. */
export async function queueNext(database: Database, consumer: string, appId: string): Promise<Queued | null> {
  const [row] = await runStatement<Queued>(database, queueingStatement({ consumer, appId }));
  return row ?? null;
}

export function queueingStatement({ consumer, appId }: Pair): Prisma.Sql {
  return Prisma.sql`
    WITH ${behind(consumer, appId, BATCH)}, range AS (SELECT first, last FROM behind), ${queueingWithin(appId)}, advanced AS (
      UPDATE event_consumer SET position = behind.last, attempts = 0, next_attempt_at = NULL, error = NULL FROM behind
      WHERE consumer = ${consumer} AND app_id = ${appId}::uuid
    )
    SELECT last < last_sequence AS "hasMore", (SELECT count(*) FROM queued)::int AS deliveries FROM behind`;
}

/**
 * A cursor that this process may move until its lease expires, and the events between `position` and `seen` that have reactions.
 */
export type Taken = {
  position: bigint;
  seen: bigint;
  hasMore: boolean;
  attempts: number;
  events: (ReactedEvent & { requestId: string | null })[];
};

type TakenRow = Omit<Taken, 'events'> & {
  events: { id: string; type: string; resourceId: string; sequence: string; requestId: string | null }[];
};

/**
 * Moves the cursor to just before the next event of these types and leases it; null if there is nothing to do. If there is no
 * such event, it only moves the cursor. One statement.
 */
export async function takeNext(database: Database, request: Taking): Promise<Taken | null> {
  const [row] = await runStatement<TakenRow>(database, takingStatement(request));
  if (!row) return null;
  const { appId } = request;
  return { ...row, events: row.events.map((event) => ({ ...event, appId, sequence: BigInt(event.sequence) })) };
}

type Taking = Pair & { types: readonly string[]; leaseMs?: number | undefined };

export function takingStatement({ consumer, appId, types, leaseMs = LEASE_MS }: Taking): Prisma.Sql {
  return Prisma.sql`
    WITH ${behind(consumer, appId, WINDOW)}, concerned AS MATERIALIZED (
      SELECT event.sequence, event.id, event.type, event.resource_id, event.request_id
      FROM behind CROSS JOIN LATERAL ${eventsBetween(appId, Prisma.sql`behind.first AND behind.last`)} event
      WHERE event.type = ANY (${types}) ORDER BY event.sequence LIMIT ${Prisma.raw(String(BATCH))}
    ), extent AS (
      SELECT behind.last_sequence, coalesce(min(concerned.sequence) - 1, behind.last) AS position,
        CASE WHEN count(concerned.sequence) = ${BATCH} THEN max(concerned.sequence) ELSE behind.last END AS seen,
        count(concerned.sequence) > 0 AS is_taken
      FROM behind LEFT JOIN concerned ON true GROUP BY behind.last_sequence, behind.last
    ), taken AS (
      UPDATE event_consumer SET position = extent.position,
        leased_until = CASE WHEN is_taken THEN now() + ${leaseMs}::float8 * interval '1 millisecond' END
      FROM extent WHERE consumer = ${consumer} AND app_id = ${appId}::uuid
      RETURNING attempts
    )
    SELECT extent.position, extent.seen, extent.seen < extent.last_sequence AS "hasMore", taken.attempts,
      coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'type', type, 'resourceId', resource_id,
        'sequence', sequence::text, 'requestId', request_id) ORDER BY sequence) FROM concerned), '[]'::jsonb) AS events
    FROM extent, taken`;
}

type Move = { consumer: string; appId: string; from: bigint; to: bigint };

/**
 * Moves the cursor forward and releases it. False if it is no longer at `from`: the lease had expired, and another process has
 * moved it.
 */
export async function advance(database: Database | DatabaseTransaction, move: Move): Promise<boolean> {
  const { consumer, appId, from, to } = move;
  const moved = await database.$executeRaw`
    UPDATE event_consumer SET position = ${to}, leased_until = NULL, attempts = 0, next_attempt_at = NULL, error = NULL
    WHERE consumer = ${consumer} AND app_id = ${appId}::uuid AND position = ${from}`;
  return moved === 1;
}

/** Like `advance`, to just before an event whose handling has failed and is retried after `retryMs`. */
export async function advanceToFailure(
  database: Database,
  failed: Move & { attempts: number; retryMs: number; error: string },
): Promise<void> {
  const { consumer, appId, from, to, attempts, retryMs, error } = failed;
  await database.$executeRaw`
    UPDATE event_consumer SET position = ${to}, leased_until = NULL, attempts = ${attempts}, error = ${error},
      next_attempt_at = now() + ${retryMs}::float8 * interval '1 millisecond'
    WHERE consumer = ${consumer} AND app_id = ${appId}::uuid AND position = ${from}`;
}
