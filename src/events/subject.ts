/**
 * A resource that can be followed from any position in its app's sequence: which events concern it, and the newest event that a
 * given row of it includes.
 */
import { type Database, Prisma } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { type EventRow, readEventRow, requireKept, type SequencedEvent } from './store.ts';

/** Also the names of their tables and the prefixes of their own event types. */
export type SubjectKind = 'payment_intent' | 'subscription';
export type Subject = { kind: SubjectKind; appId: string; id: string };

/** A row as it was read. */
export type Version = { id: string; status: string; updatedAt: Date };

/** The field that names the subject in another resource's event data, written as in the partial indexes. */
const belonging: { [Kind in SubjectKind]: Prisma.Sql } = {
  payment_intent: Prisma.sql`event.type LIKE 'dispute.%' AND event.data->>'paymentIntentId'`,
  subscription: Prisma.sql`event.data->>'subscriptionId'`,
};

/** A subject's own events, a payment's disputes, and a subscription's invoices and checkouts. */
export function isAbout({ kind, id }: Subject, event: SequencedEvent): boolean {
  if (event.resourceId === id) return true;
  return kind === 'subscription'
    ? event.data.subscriptionId === id
    : event.type.startsWith('dispute.') && event.data.paymentIntentId === id;
}

/**
 * At most `limit` events that concern the subject after a sequence number, oldest first. Throws EXPIRED if events after that number
 * have been archived.
 */
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
    ) AS found ORDER BY found.sequence LIMIT ${limit}`;
  await requireKept(database, { appId, after });
  return rows.map(readEventRow);
}

/** Events beyond a sequence number, in either direction. */
export type Span = { beyond: bigint | undefined; isAscending: boolean; take: number };

/** At most `take` events for each of the caller's subjects, by subject, in a single statement. */
export async function readSpansAbout(
  database: Database,
  { kind, scope, ids }: { kind: SubjectKind; scope: Scope; ids: readonly string[] },
  { beyond, isAscending, take }: Span,
): Promise<Map<string, SequencedEvent[]>> {
  const further = isAscending ? Prisma.sql`>` : Prisma.sql`<`;
  const isWanted = beyond === undefined ? Prisma.sql`true` : Prisma.sql`event.sequence ${further} ${beyond}`;
  const order = isAscending ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const rows = await database.$queryRaw<(EventRow & { subject_id: string })[]>`
    SELECT subject.id::text AS subject_id, found.* FROM ${ownSubjects(kind, scope, ids)}, LATERAL (
      SELECT * FROM (
        (SELECT event.* FROM event WHERE event.resource_id = subject.id AND ${isWanted}
          ORDER BY event.sequence ${order} LIMIT ${take})
        UNION ALL
        (SELECT event.* FROM event WHERE ${belonging[kind]} = subject.id::text AND ${isWanted}
          ORDER BY event.sequence ${order} LIMIT ${take})
      ) AS both_kinds ORDER BY both_kinds.sequence ${order} LIMIT ${take}
    ) AS found ORDER BY found.sequence ${order}`;
  const found = new Map<string, SequencedEvent[]>();
  for (const row of rows) found.set(row.subject_id, [...(found.get(row.subject_id) ?? []), readEventRow(row)]);
  return found;
}

/** The number of events for each of the caller's subjects, by subject. */
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

/** The caller's subjects with these ids, as the table `subject`. */
function ownSubjects(kind: SubjectKind, { merchantId, appId }: Scope, ids: readonly string[]): Prisma.Sql {
  const ofApp = appId === null ? Prisma.empty : Prisma.sql`AND app.id = ${appId}::uuid`;
  return Prisma.sql`(
    SELECT own.id FROM ${Prisma.raw(kind)} AS own JOIN app ON app.id = own.app_id
    WHERE own.id = ANY(${[...ids]}::uuid[]) AND app.merchant_id = ${merchantId}::uuid ${ofApp}
  ) AS subject`;
}

/**
 * The `data` of a subject's newest own event up to an event of another resource. Undefined if no newer own event exists, because
 * the row itself then has the state of that event, and is newer in fields that no event reports.
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
 * By `versionKey`, the number of the newest event that the row includes, or of the app's newest archived event if that is later; 0n
 * if there is none. The row and its events are read in
 * one statement. If the row has changed since it was read, the number returned is too small rather than too large, so that a
 * follower who continues after it may see an event twice but never misses one.
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
      (SELECT cursor.archived_sequence FROM event_cursor AS cursor WHERE cursor.app_id = subject.app_id),
      0) AS sequence
    FROM ${Prisma.raw(kind)} AS subject WHERE subject.id = ANY(${ids}::uuid[])`;
  const current = new Map(
    found.map(({ id, status, updated_at: updatedAt, sequence }) => [versionKey({ id, status, updatedAt }), sequence]),
  );
  const sequences = new Map<string, bigint>();
  for (const version of versions) {
    const key = versionKey(version);
    sequences.set(key, current.get(key) ?? (await sequenceIncludedBy(database, kind, version)));
  }
  return sequences;
}

async function sequenceIncludedBy(
  database: Database,
  kind: SubjectKind,
  { id, status, updatedAt }: Version,
): Promise<bigint> {
  const [row] = await database.$queryRaw<{ sequence: bigint }[]>`
    SELECT greatest(
      (SELECT max(sequence) FROM event
        WHERE resource_id = ${id}::uuid AND data->>'status' = ${status} AND data->>'updatedAt' <= ${updatedAt.toISOString()}),
      (SELECT cursor.archived_sequence FROM event_cursor AS cursor
        JOIN ${Prisma.raw(kind)} AS subject ON subject.app_id = cursor.app_id WHERE subject.id = ${id}::uuid),
      0) AS sequence`;
  return row?.sequence ?? 0n;
}
