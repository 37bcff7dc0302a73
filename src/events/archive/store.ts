/** The queries of the archive of events. */
import { type Database, type EventArchiveFile, Prisma, transaction } from '../../../prisma/client.ts';
import { reactJob, reactToEventJob } from '../react-job.ts';

/** Why events that are old enough stay in the table. */
export type Hold = 'CONSUMER' | 'WEBHOOK' | 'REACTION';

/** How far the events of an app may be archived, whatever their age. */
export type Reach = { appId: string; archived: bigint; through: bigint; hold: Hold };

type ReachRow = {
  app_id: string;
  archived: bigint;
  consumed: bigint;
  queued: bigint | null;
  delivery: bigint | null;
  reaction: bigint | null;
};

/**
 * Returns every app with events, and the number through which its events are no longer needed: every consumer has handled them, no endpoint
 * waits for them, no delivery of them is kept and no job reacts to them. A job of an earlier version does not specify which events it
 * needs, so it keeps all of them. Positions only advance, so the result remains valid.
 */
export async function reachOfApps(database: Database): Promise<Reach[]> {
  const rows = await database.$queryRaw<ReachRow[]>`
    SELECT cursor.app_id::text, cursor.archived_sequence AS archived,
      coalesce((SELECT min(position) FROM event_consumer AS consumer WHERE consumer.app_id = cursor.app_id), 0) AS consumed,
      (SELECT min(greatest(endpoint.queued_sequence, endpoint.start_sequence)) FROM webhook_endpoint AS endpoint
        WHERE endpoint.app_id = cursor.app_id) AS queued,
      (SELECT min(oldest.sequence) FROM webhook_endpoint AS endpoint,
        unnest(enum_range(NULL::webhook_delivery_status)) AS known(status), LATERAL (
          SELECT delivery.sequence FROM webhook_delivery AS delivery
          WHERE delivery.webhook_id = endpoint.id AND delivery.status = known.status ORDER BY delivery.sequence LIMIT 1
        ) AS oldest WHERE endpoint.app_id = cursor.app_id) AS delivery,
      CASE WHEN EXISTS (SELECT FROM graphile_worker.jobs AS job WHERE job.task_identifier = ${reactJob.name}) THEN 1
        ELSE (SELECT min(split_part(job.key, ':', 3)::bigint) FROM graphile_worker.jobs AS job
          WHERE job.task_identifier = ${reactToEventJob.name} AND split_part(job.key, ':', 2) = cursor.app_id::text)
        END AS reaction
    FROM event_cursor AS cursor ORDER BY cursor.app_id`;
  return rows.map(reachOf);
}

function reachOf(row: ReachRow): Reach {
  const limits: [Hold, bigint][] = [['CONSUMER', row.consumed]];
  if (row.queued !== null) limits.push(['WEBHOOK', row.queued]);
  if (row.delivery !== null) limits.push(['WEBHOOK', row.delivery - 1n]);
  if (row.reaction !== null) limits.push(['REACTION', row.reaction - 1n]);
  const [hold, through] = limits.reduce((least, limit) => (limit[1] < least[1] ? limit : least));
  return { appId: row.app_id, archived: row.archived, through, hold };
}

/** Consecutive events of one month. */
export type ArchiveRange = { first: bigint; last: bigint; count: number; month: string; until: Date };

/**
 * Returns the next events of an app that were appended before an instant, as many as belong to one month and fit into one file. Null if
 * there are none.
 */
export async function nextRange(
  database: Database,
  request: { appId: string; after: bigint; through: bigint; before: Date; limit: number },
): Promise<ArchiveRange | null> {
  const { appId, after, through, before, limit } = request;
  const [row] = await database.$queryRaw<{ [Field in keyof ArchiveRange]: ArchiveRange[Field] | null }[]>`
    WITH next AS MATERIALIZED (
      SELECT sequence, created_at, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month FROM event
      WHERE app_id = ${appId}::uuid AND sequence > ${after} AND sequence <= ${through}
      ORDER BY sequence LIMIT ${Prisma.raw(String(limit))}
    ), evaluated AS (
      SELECT sequence, created_at, month, bool_and(created_at < ${before} AND month = opening.of) OVER so_far AS is_taken
      FROM next, (SELECT month AS of FROM next ORDER BY sequence LIMIT 1) AS opening
      WINDOW so_far AS (ORDER BY sequence)
    )
    SELECT min(sequence) AS first, max(sequence) AS last, count(*)::int AS count, min(month) AS month, max(created_at) AS until
    FROM evaluated WHERE is_taken`;
  if (!row || row.first === null || row.last === null || row.month === null || row.until === null) return null;
  return { first: row.first, last: row.last, count: row.count ?? 0, month: row.month, until: row.until };
}

/** The files whose events have not all been deleted, in order; there is more than one only while two commands run at once. */
export async function unfinishedFiles(database: Database, appId: string): Promise<EventArchiveFile[]> {
  const cursor = await database.eventCursor.findUnique({ where: { appId }, select: { archivedSequence: true } });
  return await database.eventArchiveFile.findMany({
    where: { appId, lastSequence: { gt: cursor?.archivedSequence ?? 0n } },
    orderBy: { firstSequence: 'asc' },
  });
}

/**
 * Deletes the events of a written file, at most `limit`, and advances the app's archived position past them in the same transaction.
 * The cursor is locked last, as when events are appended. Returns the position.
 */
export async function deleteArchived(
  database: Database,
  { file, limit }: { file: EventArchiveFile; limit: number },
): Promise<bigint> {
  const { appId, firstSequence, lastSequence } = file;
  return await transaction(database, async (tx) => {
    const [deleted] = await tx.$queryRaw<{ until: Date | null }[]>`
      WITH next AS (
        SELECT sequence FROM event WHERE app_id = ${appId}::uuid AND sequence BETWEEN ${firstSequence} AND ${lastSequence}
        ORDER BY sequence LIMIT ${Prisma.raw(String(limit))}
      ), gone AS (
        DELETE FROM event USING next WHERE event.app_id = ${appId}::uuid AND event.sequence = next.sequence
        RETURNING event.created_at
      )
      SELECT max(created_at) AS until FROM gone`;
    // Another call may have deleted the same events, so the number of deleted rows is not meaningful.
    const remaining = await tx.event.findFirst({
      where: { appId, sequence: { gte: firstSequence, lte: lastSequence } },
      orderBy: { sequence: 'asc' },
      select: { sequence: true },
    });
    const position = remaining ? remaining.sequence - 1n : lastSequence;
    const until = remaining ? (deleted?.until ?? null) : file.until;
    await tx.$executeRaw`
      UPDATE event_cursor SET archived_sequence = greatest(archived_sequence, ${position}::bigint),
        archived_until = greatest(archived_until, ${until}::timestamptz) WHERE app_id = ${appId}::uuid`;
    return position;
  });
}
