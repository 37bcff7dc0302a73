import type { SequencedEvent } from '../../../events/store.ts';
import { isAbout, readEventsAbout, type Subject, type Version } from '../../../events/subject.ts';
import { live } from '../server/live.ts';
import type { World } from '../server/world.ts';
import { checkedAfter, followSequence } from './follow-sequence.ts';
import { numberOf, present } from './row-at-event.ts';

/**
 * Follows a resource: its state after each event about it, once and in order. With `after`, it starts with the first event
 * after that number. Without `after`, it starts with the current state, which includes all earlier events.
 */
export async function followSubject<Row extends Version>(
  world: World,
  request: {
    subject: Subject;
    after: number | null | undefined;
    find: () => Promise<Row>;
    at: (event: SequencedEvent) => Promise<Row | undefined>;
  },
): Promise<AsyncIterableIterator<Row, void, void>> {
  const { subject, find, at } = request;
  const { appId, id, kind } = subject;
  const after = await checkedAfter(world.database, { appId, after: request.after });
  const events = await followSequence(world, {
    appId,
    after,
    resourceIds: [id],
    passes: (event) => isAbout(subject, event),
    read: (window) => readEventsAbout(world.database, subject, window),
  });
  let included = after ?? 0n;
  return live<SequencedEvent, Row>({
    first: async () => {
      if (after !== undefined) return [];
      const rows = await present(world, kind, [await find()]);
      for (const row of rows) included = numberOf(row);
      return rows;
    },
    events,
    map: async (event) => (event.sequence > included ? await at(event) : undefined),
  });
}
