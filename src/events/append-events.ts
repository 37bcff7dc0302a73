/**
 * The event sequence: one append-only, gapless sequence per app, written in the transaction that makes the change.
 * The cursor row's lock is held to the commit, so that sequence order is the order in which readers see events.
 */
import { afterCommit, type DatabaseTransaction, type Prisma } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { addJob } from '../platform/jobs.ts';
import { tracedRequestId } from '../platform/request-trace.ts';
import { ringBell } from './bell.ts';
import type { EventType } from './event-type.ts';
import { reactJob } from './react-job.ts';

export type Finality = { confirmations: number; required: number; isFinal: boolean };

export type NewEvent = {
  type: EventType;
  /** The resource that changed. */
  resourceId: string;
  /** The resource's scalar fields, as the API prints them. */
  data: Prisma.InputJsonObject;
  finality?: Finality;
  /** What asked for it, where several requests' events are appended at once; else the request under way. */
  requestId?: string | undefined;
};

export type AppendedEvent = NewEvent & { id: string; appId: string; sequence: bigint };

/**
 * Appends events of one app. Must be the last statement of its transaction: it takes the app's cursor lock.
 * Of several apps in one transaction, append in the order of their ids.
 */
export async function appendEvents(
  tx: DatabaseTransaction,
  appId: string,
  events: readonly NewEvent[],
): Promise<AppendedEvent[]> {
  if (events.length === 0) return [];
  const cursor = await tx.$queryRaw<{ last_sequence: bigint }[]>`
    INSERT INTO event_cursor (app_id, last_sequence) VALUES (${appId}::uuid, ${events.length})
    ON CONFLICT (app_id) DO UPDATE SET last_sequence = event_cursor.last_sequence + ${events.length}
    RETURNING last_sequence`;
  const last = cursor[0]?.last_sequence;
  if (last === undefined) throw new Error('The event cursor gave no number.');
  const first = last - BigInt(events.length) + 1n;
  const appended = events.map((event, index) => ({ ...event, id: newId(), appId, sequence: first + BigInt(index) }));
  await tx.event.createMany({
    data: appended.map((event) => ({
      appId,
      sequence: event.sequence,
      id: event.id,
      type: event.type,
      resourceId: event.resourceId,
      data: event.data,
      requestId: event.requestId ?? tracedRequestId() ?? null,
      ...(event.finality === undefined ? {} : { finality: event.finality }),
    })),
  });
  await addJob(tx, reactJob, { appId, first: String(first), last: String(last) });
  afterCommit(tx, ringBell);
  return appended;
}
