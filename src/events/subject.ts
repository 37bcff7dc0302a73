/**
 * A resource that can be followed from any number of its app's sequence: which events are about it, and which event is the
 * newest one that a row of it includes.
 */
import { type Database, Prisma } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { type EventRow, readEventRow, type SequencedEvent } from './store.ts';

/** Also the names of their tables, and the first words of the types of their own events. */
export type SubjectKind = 'payment_intent' | 'subscription';
export type Subject = { kind: SubjectKind; appId: string; id: string };

/** A row as somebody read it. */
export type Version = { id: string; status: string; updatedAt: Date };

/** Where the data of another resource's event names the subject; as the partial indexes say it. */
const belonging: { [Kind in SubjectKind]: Prisma.Sql } = {
  payment_intent: Prisma.sql`event.type LIKE 'dispute.%' AND event.data->>'paymentIntentId'`,
  subscription: Prisma.sql`event.data->>'subscriptionId'`,
};

/** Its own events, a payment's disputes, and a subscription's invoices and checkouts. */
export function isAbout({ kind, id }: Subject, event: SequencedEvent): boolean {
  if (event.resourceId === id) return true;
  return kind === 'subscription'
    ? event.data.subscriptionId === id
    : event.type.startsWith('dispute.') && event.data.paymentIntentId === id;
}

/** At most `limit` events that are about it after a sequence number, oldest first. */
export async function readEventsAbout(
  database: Database,
  { kind, appId, id }: Subject,
  { after, limit }: { after: bigint; limit: number },
): Promise<SequencedEvent[]> {
  const rows = await database.$queryRaw<EventRow[]>`
    SELECT * FROM (
      (SELECT event.* FROM event
        WHERE event.resource_id = ${id}::uuid AND event.app_id = ${appId}::uuid AND event.sequence > ${after}
        ORDER BY event.sequence LIMIT ${limit})
      UNION ALL
      (SELECT event.* FROM event
        WHERE ${belonging[kind]} = ${id} AND event.app_id = ${appId}::uuid AND event.sequence > ${after}
        ORDER BY event.sequence LIMIT ${limit})
    ) AS told ORDER BY told.sequence LIMIT ${limit}`;
  return rows.map(readEventRow);
}

/** Events beyond a sequence number, in one of both directions. */
export type Span = { beyond: bigint | undefined; isAscending: boolean; take: number };

/** By subject of the caller: at most `take` events that are about it, for all of them in one statement. */
export async function readSpansAbout(
  database: Database,
  { kind, scope, ids }: { kind: SubjectKind; scope: Scope; ids: readonly string[] },
  { beyond, isAscending, take }: Span,
): Promise<Map<string, SequencedEvent[]>> {
  const further = isAscending ? Prisma.sql`>` : Prisma.sql`<`;
  const isWanted = beyond === undefined ? Prisma.sql`true` : Prisma.sql`event.sequence ${further} ${beyond}`;
  const order = isAscending ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const rows = await database.$queryRaw<(EventRow & { subject_id: string })[]>`
    SELECT subject.id::text AS subject_id, told.* FROM ${ownSubjects(kind, scope, ids)}, LATERAL (
      SELECT * FROM (
        (SELECT event.* FROM event WHERE event.resource_id = subject.id AND ${isWanted}
          ORDER BY event.sequence ${order} LIMIT ${take})
        UNION ALL
        (SELECT event.* FROM event WHERE ${belonging[kind]} = subject.id::text AND ${isWanted}
          ORDER BY event.sequence ${order} LIMIT ${take})
      ) AS both_kinds ORDER BY both_kinds.sequence ${order} LIMIT ${take}
    ) AS told ORDER BY told.sequence ${order}`;
  const found = new Map<string, SequencedEvent[]>();
  for (const row of rows) found.set(row.subject_id, [...(found.get(row.subject_id) ?? []), readEventRow(row)]);
  return found;
}

/** By subject of the caller: how many events are about it. */
export async function countEventsAbout(
  database: Database,
  { kind, scope, ids }: { kind: SubjectKind; scope: Scope; ids: readonly string[] },
): Promise<Map<string, number>> {
  const rows = await database.$queryRaw<{ subject_id: string; count: bigint }[]>`
    SELECT subject.id::text AS subject_id,
      (SELECT count(*) FROM event WHERE event.resource_id = subject.id)
      + (SELECT count(*) FROM event WHERE ${belonging[kind]} = subject.id::text) AS count
    FROM ${ownSubjects(kind, scope, ids)}`;
  return new Map(rows.map((row) => [row.subject_id, Number(row.count)]));
}

/** The subjects of these ids, as the table `subject`. */
function ownSubjects(kind: SubjectKind, { merchantId, appId }: Scope, ids: readonly string[]): Prisma.Sql {
  const ofApp = appId === null ? Prisma.empty : Prisma.sql`AND app.id = ${appId}::uuid`;
  return Prisma.sql`(
    SELECT own.id FROM ${Prisma.raw(kind)} AS own JOIN app ON app.id = own.app_id
    WHERE own.id = ANY(${[...ids]}::uuid[]) AND app.merchant_id = ${merchantId}::uuid ${ofApp}
  ) AS subject`;
}

/**
 * The `data` of the newest own event of a subject up to an event of another resource; undefined while that is the newest
 * there is, for then the row is what it was at that event, and newer in what no event tells.
 */
export async function readOwnDataBefore(
  database: Database,
  { id, sequence }: { id: string; sequence: bigint },
): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.$queryRaw<{ data: Record<string, unknown>; is_newest: boolean }[]>`
    SELECT event.data, NOT EXISTS (
      SELECT 1 FROM event AS later WHERE later.resource_id = event.resource_id AND later.sequence > ${sequence}
    ) AS is_newest
    FROM event WHERE event.resource_id = ${id}::uuid AND event.sequence <= ${sequence}
    ORDER BY event.sequence DESC LIMIT 1`;
  return row && !row.is_newest ? row.data : undefined;
}

export function versionKey({ id, status, updatedAt }: Version): string {
  return `${id} ${status} ${updatedAt.toISOString()}`;
}

/**
 * By `versionKey`: the number of the newest event that the row includes, 0n where none does. A row and its events are read
 * in one statement; where the row is a newer one by now, a number that is too small is answered rather than one that is too
 * large, so that whoever goes on after it may see an event again and never misses one.
 */
export async function sequencesOf(
  database: Database,
  kind: SubjectKind,
  versions: readonly Version[],
): Promise<Map<string, bigint>> {
  const ids = versions.map(({ id }) => id);
  const found = await database.$queryRaw<{ id: string; status: string; updated_at: Date; sequence: bigint }[]>`
    SELECT subject.id::text, subject.status::text, subject.updated_at, greatest(
      (SELECT max(event.sequence) FROM event WHERE event.resource_id = subject.id),
      (SELECT max(event.sequence) FROM event WHERE ${belonging[kind]} = subject.id::text),
      0) AS sequence
    FROM ${Prisma.raw(kind)} AS subject WHERE subject.id = ANY(${ids}::uuid[])`;
  const current = new Map(
    found.map(({ id, status, updated_at: updatedAt, sequence }) => [versionKey({ id, status, updatedAt }), sequence]),
  );
  const sequences = new Map<string, bigint>();
  for (const version of versions) {
    const key = versionKey(version);
    sequences.set(key, current.get(key) ?? (await sequenceIncludedBy(database, version)));
  }
  return sequences;
}

async function sequenceIncludedBy(database: Database, { id, status, updatedAt }: Version): Promise<bigint> {
  const [row] = await database.$queryRaw<{ sequence: bigint }[]>`
    SELECT coalesce(max(sequence), 0) AS sequence FROM event
    WHERE resource_id = ${id}::uuid AND data->>'status' = ${status} AND data->>'updatedAt' <= ${updatedAt.toISOString()}`;
  return row?.sequence ?? 0n;
}
