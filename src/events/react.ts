import type { Database, Event } from '../../prisma/client.ts';
import { traced } from '../platform/request-trace.ts';
import type { EventType } from './event-type.ts';
import { isEventType } from './event-type.ts';

export type ReactedEvent = Pick<Event, 'id' | 'appId' | 'type' | 'resourceId' | 'sequence'>;
/**
 * A verb of another module that runs after events of one app and type. Idempotent per event, because it may run twice; it reads the
 * current state and therefore does not depend on the order of events.
 */
export type Reaction = (events: readonly ReactedEvent[]) => Promise<unknown>;
export type Reactions = ReadonlyMap<EventType, readonly Reaction[]>;

type TracedEvent = ReactedEvent & { requestId: string | null };

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
export async function reactToEvent(reactions: Reactions, { requestId, ...event }: TracedEvent): Promise<void> {
  if (!isEventType(event.type)) return;
  const failures: unknown[] = [];
  for (const reaction of reactions.get(event.type) ?? []) {
    await traced(requestId, () => reaction([event])).catch((error: unknown) => failures.push(error));
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} reactions failed.`);
}

/**
 * Runs the reactions to several events of an app, those to all events of one type and request together. Throws the first failure; some
 * events have been reacted to by then, and the others have not.
 */
export async function reactTogether(reactions: Reactions, events: readonly TracedEvent[]): Promise<void> {
  for (const [type, ofType] of reactions) {
    const byRequest = new Map<string | null, ReactedEvent[]>();
    for (const { requestId, ...event } of events) {
      if (event.type !== type) continue;
      const known = byRequest.get(requestId);
      if (known) known.push(event);
      else byRequest.set(requestId, [event]);
    }
    for (const [requestId, together] of byRequest) {
      for (const reaction of ofType) await traced(requestId, () => reaction(together));
    }
  }
}
