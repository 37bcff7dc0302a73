import type { Database, Event } from '../../prisma/client.ts';
import { traced } from '../platform/request-trace.ts';
import type { EventType } from './event-type.ts';
import { isEventType } from './event-type.ts';

/** A verb of another room that follows from an event. Idempotent by the event, for a job may run twice. */
export type Reaction = (event: Pick<Event, 'id' | 'appId' | 'type' | 'resourceId' | 'sequence'>) => Promise<unknown>;
export type Reactions = ReadonlyMap<EventType, readonly Reaction[]>;

/** Events that one transaction may append; more is a fault. */
const EVENTS_LIMIT = 1_000;

/**
 * Runs the reactions to the events `first` to `last` of an app, in their order. One that fails does not keep the others
 * from running; all run again with the job that is then tried again.
 */
export async function react(
  { database, reactions }: { database: Database; reactions: Reactions },
  { appId, first, last }: { appId: string; first: string; last: string },
): Promise<void> {
  const events = await database.event.findMany({
    where: { appId, sequence: { gte: BigInt(first), lte: BigInt(last) }, type: { in: [...reactions.keys()] } },
    orderBy: { sequence: 'asc' },
    take: EVENTS_LIMIT,
    select: { id: true, appId: true, type: true, resourceId: true, sequence: true, requestId: true },
  });
  const failures: unknown[] = [];
  for (const event of events) {
    if (!isEventType(event.type)) continue;
    for (const reaction of reactions.get(event.type) ?? []) {
      await traced(event.requestId, () => reaction(event)).catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} reactions failed.`);
}
