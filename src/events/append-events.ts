/**
 * The event sequence: one append-only, gapless sequence per app, written in the transaction that makes the change.
 * The cursor row's lock is held to the commit, so that sequence order is the order in which readers see events.
 */
import { afterCommit, type DatabaseTransaction, Prisma } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { tracedRequestId } from '../platform/request-trace.ts';
import { announceEvents } from './announcements.ts';
import type { EventType } from './event-type.ts';

export type Finality = { confirmations: number; required: number; isFinal: boolean };

export type NewEvent = {
  type: EventType;
  /** The resource that changed. */
  resourceId: string;
  /** The resource's scalar fields, as the API returns them. */
  data: Prisma.InputJsonObject;
  finality?: Finality;
  /** The request that caused the event, if events of several requests are appended together; the current request by default. */
  requestId?: string | undefined;
};

export type AppendedEvent = NewEvent & { id: string; appId: string; sequence: bigint };

/**
 * Appends events of one app. Must be the last statement of its transaction, because it locks the app's cursor. To append for
 * several apps in one transaction, proceed in the order of their ids.
 */
export async function appendEvents(
  tx: DatabaseTransaction,
  appId: string,
  events: readonly NewEvent[],
): Promise<AppendedEvent[]> {
  if (events.length === 0) return [];
  const { ids, queries } = appendWithin(appId, events);
  const [numbered] = await tx.$queryRaw<{ last: bigint }[]>`WITH ${queries} SELECT numbered.last FROM numbered`;
  if (!numbered) throw new Error('The event cursor returned no sequence number.');
  afterCommit(tx, (database) => announceEvents(database, appId));
  const first = numbered.last - BigInt(events.length) + 1n;
  return events.map((event, index) => ({ ...event, id: ids[index] ?? '', appId, sequence: first + BigInt(index) }));
}

/** Events and the app that they belong to. */
export type OwnedEvents = { appId: string; events: readonly NewEvent[] };

/** Appends events of several apps, those of each app in their order. Must be the last call of its transaction, as `appendEvents` must. */
export async function appendByApp(tx: DatabaseTransaction, owned: readonly OwnedEvents[]): Promise<void> {
  const byApp = new Map<string, NewEvent[]>();
  for (const { appId, events } of owned) {
    const known = byApp.get(appId);
    if (known) known.push(...events);
    else byApp.set(appId, [...events]);
  }
  for (const appId of [...byApp.keys()].sort()) await appendEvents(tx, appId, byApp.get(appId) ?? []);
}

/**
 * The WITH queries `numbered` and `appended`, and the ids of the events in order. `numbered` locks the app's cursor until the
 * commit. It runs once for the rows of `after`, the names of all other writing queries of the statement, each of which must
 * return one row. An event's instant is that of its numbering, not of the statement's start, which precedes the wait for the
 * cursor. The caller sends the notification after the commit.
 */
export function appendWithin(
  appId: string,
  events: readonly NewEvent[],
  after: readonly string[] = [],
): { ids: readonly string[]; queries: Prisma.Sql } {
  const ids = events.map(newId);
  const written = after.length === 0 ? Prisma.empty : Prisma.raw(`FROM ${after.join(', ')}`);
  const count = events.length;
  const queries = Prisma.sql`
    numbered AS (
      INSERT INTO event_cursor (app_id, last_sequence) SELECT ${appId}::uuid, ${count}::bigint ${written}
      ON CONFLICT (app_id) DO UPDATE SET last_sequence = event_cursor.last_sequence + excluded.last_sequence
      RETURNING last_sequence AS last, last_sequence - ${count}::bigint AS before
    ), appended AS (
      INSERT INTO event (app_id, sequence, id, type, resource_id, data, finality, request_id, created_at)
      SELECT ${appId}::uuid, numbered.before + given.place, given.id, given.type, given.resource_id, given.data, given.finality,
        given.request_id, gateway_now() + (clock_timestamp() - statement_timestamp())
      FROM numbered, jsonb_to_recordset(${JSON.stringify(rowsOf(events, ids))}::jsonb) AS given(
        place bigint, id uuid, type text, resource_id uuid, data jsonb, finality jsonb, request_id text)
    )`;
  return { ids, queries };
}

function rowsOf(events: readonly NewEvent[], ids: readonly string[]): object[] {
  return events.map(({ type, resourceId, data, finality, requestId }, index) => ({
    place: index + 1,
    id: ids[index],
    type,
    resource_id: resourceId,
    data,
    finality,
    request_id: requestId ?? tracedRequestId(),
  }));
}
