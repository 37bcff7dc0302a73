import type { Database, Event } from '../../prisma/client.ts';
import { traced } from '../platform/request-trace.ts';
import type { EventType } from './event-type.ts';
import { isEventType } from './event-type.ts';

export type ReactedEvent = Pick<Event, 'id' | 'appId' | 'type' | 'resourceId' | 'sequence'>;
/** A verb of another module that runs after an event. Idempotent per event, because it may run twice. */
export type Reaction = (event: ReactedEvent) => Promise<unknown>;
export type Reactions = ReadonlyMap<EventType, readonly Reaction[]>;

/** The maximum number of events per transaction; more is a bug. */
const EVENTS_LIMIT = 1_000;

/**
 * Runs the reactions to the events `first` to `last` of an app, in order. A failing reaction does not prevent the others from
 * running; all of them run again when the job is retried.
 */
export async function react(
  { database, reactions }: { database: Database; reactions: Reactions },
  { appId, first, last }: { appId: string; first: bigint; last: bigint },
): Promise<void> {
  const events = await database.event.findMany({
    where: { appId, sequence: { gte: first, lte: last }, type: { in: [...reactions.keys()] } },
    orderBy: { sequence: 'asc' },
    take: EVENTS_LIMIT,
    select: { id: true, appId: true, type: true, resourceId: true, sequence: true, requestId: true },
  });
  const failures: unknown[] = [];
  for (const event of events) {
    await reactToEvent(reactions, event).catch((error: unknown) => failures.push(error));
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `The reactions to ${failures.length} events failed.`);
}

/** Runs all reactions to one event, one after another, and throws after the last one if any has failed. */
export async function reactToEvent(
  reactions: Reactions,
  { requestId, ...event }: ReactedEvent & { requestId: string | null },
): Promise<void> {
  if (!isEventType(event.type)) return;
  const failures: unknown[] = [];
  for (const reaction of reactions.get(event.type) ?? []) {
    await traced(requestId, () => reaction(event)).catch((error: unknown) => failures.push(error));
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} reactions failed.`);
}
