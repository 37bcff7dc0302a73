/** The queries of the event sequence. */
import { type Database, type DatabaseTransaction, type Event, Prisma } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import type { Finality } from './append-events.ts';

/** One event as readers see it. */
export type SequencedEvent = {
  appId: string;
  sequence: bigint;
  id: string;
  /** An `EventType`, or one of a newer version running beside this one, which is passed on unchanged. */
  type: string;
  resourceId: string;
  data: Record<string, unknown>;
  finality: Finality | null;
  requestId: string | null;
  createdAt: Date;
};

/** A row of the table as returned by a raw statement. */
export type EventRow = {
  app_id: string;
  sequence: bigint;
  id: string;
  type: string;
  resource_id: string;
  data: unknown;
  finality: Finality | null;
  request_id: string | null;
  created_at: Date;
};

/** The newest committed sequence number; 0n before the first event. */
export async function lastSequence(database: Database, appId: string): Promise<bigint> {
  const cursor = await database.eventCursor.findUnique({ where: { appId } });
  return cursor?.lastSequence ?? 0n;
}

/** How far an app's events have been moved to files: up to which number, and when the newest of them was appended. */
export type Archived = { sequence: bigint; until: Date | null };

export async function readArchived(database: Database | DatabaseTransaction, appId: string): Promise<Archived> {
  const cursor = await database.eventCursor.findUnique({
    where: { appId },
    select: { archivedSequence: true, archivedUntil: true },
  });
  return { sequence: cursor?.archivedSequence ?? 0n, until: cursor?.archivedUntil ?? null };
}

/**
 * Throws EXPIRED if events after this number have been archived. To be called after the events were read, so that an archive that runs
 * in between is noticed.
 */
export async function requireKept(
  database: Database,
  { appId, after }: { appId: string; after: bigint },
): Promise<void> {
  const { sequence } = await readArchived(database, appId);
  if (after < sequence) throw eventsArchived({ after, archivedThrough: sequence });
}

export function eventsArchived({ after, archivedThrough }: { after: bigint; archivedThrough: bigint }): GatewayError {
  return new GatewayError(
    'EXPIRED',
    `after: is ${after}, and events up to ${archivedThrough} have been archived. Request events after ${archivedThrough}.`,
    { param: 'after', meta: { archivedThrough: String(archivedThrough) } },
  );
}

/**
 * At most `limit` events of one app after a sequence number, oldest first; limited to `types` if given. Throws EXPIRED if some of
 * them have been archived.
 */
export async function readEvents(
  database: Database,
  request: { appId: string; after: bigint; limit: number; types?: readonly string[] | undefined },
): Promise<SequencedEvent[]> {
  const rows = await database.event.findMany({
    where: {
      appId: request.appId,
      sequence: { gt: request.after },
      ...(request.types?.length ? { type: { in: [...request.types] } } : {}),
    },
    orderBy: { sequence: 'asc' },
    take: request.limit,
  });
  // Archived events are the first ones, so none after the number is missing if its successor is there.
  if (rows[0]?.sequence !== request.after + 1n) await requireKept(database, request);
  return rows.map(eventOf);
}

/** Selects events of an app; all conditions must hold. */
export type EventSearch = {
  appId: string;
  types?: readonly string[] | undefined;
  requestId?: string | undefined;
  resourceId?: string | undefined;
};

type EventWindow = Pick<Prisma.EventFindManyArgs, 'where' | 'orderBy' | 'take'>;

/** At most `limit` events of one app, newest first, for display in a log. */
export async function readNewestEvents(
  database: Database,
  { before, limit, ...search }: EventSearch & { limit: number; before?: bigint | undefined },
): Promise<SequencedEvent[]> {
  const where = before === undefined ? {} : { sequence: { lt: before } };
  return await findEvents(database, search, { where, orderBy: { sequence: 'desc' }, take: limit });
}

/** The selected events within a range of the sequence. */
export async function findEvents(
  database: Database,
  search: EventSearch,
  { where = {}, ...window }: EventWindow,
): Promise<SequencedEvent[]> {
  const rows = await database.event.findMany({ ...window, where: { AND: [searched(search), where] } });
  return rows.map(eventOf);
}

/** The number of selected events. */
export async function countEvents(database: Database, search: EventSearch): Promise<number> {
  return await database.event.count({ where: searched(search) });
}

function searched({ appId, types, requestId, resourceId }: EventSearch): Prisma.EventWhereInput {
  return {
    appId,
    ...(types?.length ? { type: { in: [...types] } } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(resourceId === undefined ? {} : { resourceId }),
  };
}

/** The next events of several apps in one statement, each app after its own sequence number, at most `limit` per app. */
export async function readNewEvents(
  database: Database,
  positions: ReadonlyMap<string, bigint>,
  limit: number,
): Promise<SequencedEvent[]> {
  const rows = await database.$queryRaw<EventRow[]>`
    SELECT next.* FROM unnest(${[...positions.keys()]}::uuid[], ${[...positions.values()].map(String)}::text[]) AS reader(app_id, after),
    LATERAL (
      SELECT app_id, sequence, id, type, resource_id, data, finality, request_id, created_at FROM event
      WHERE event.app_id = reader.app_id AND event.sequence > reader.after::bigint
      ORDER BY event.sequence LIMIT ${Prisma.raw(String(limit))}
    ) AS next`;
  return rows.map(readEventRow);
}

/**
 * The events of an app whose sequence is in `range`, `<first> AND <last>`, as a subquery for a lateral join. The planner does not know how
 * narrow the range is. Without the subquery, it may read all of the app's events in their order and compare each with the range.
 */
export function eventsBetween(appId: string, range: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT sequence, id, app_id, type, resource_id, request_id FROM event
    WHERE app_id = ${appId}::uuid AND sequence BETWEEN ${range} ORDER BY sequence OFFSET 0)`;
}

export function readEventRow(row: EventRow): SequencedEvent {
  return toEvent({
    appId: row.app_id,
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    resourceId: row.resource_id,
    data: row.data,
    finality: row.finality,
    requestId: row.request_id,
    createdAt: row.created_at,
  });
}

/** Converts a stored row to an event. */
export function eventOf(row: Event): SequencedEvent {
  return toEvent({ ...row, finality: asFinality(row.finality) });
}

function toEvent(row: Omit<SequencedEvent, 'data'> & { data: unknown }): SequencedEvent {
  const data = typeof row.data === 'object' && row.data !== null ? { ...row.data } : {};
  return { ...row, data };
}

/** The finality as `appendEvents` wrote it. */
export function asFinality(json: unknown): Finality | null {
  if (typeof json !== 'object' || json === null) return null;
  if (!('confirmations' in json && 'required' in json && 'isFinal' in json)) return null;
  return {
    confirmations: Number(json.confirmations),
    required: Number(json.required),
    isFinal: json.isFinal === true,
  };
}
