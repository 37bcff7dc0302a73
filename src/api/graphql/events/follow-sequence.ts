import type { Database } from '../../../../prisma/client.ts';
import { invalid } from '../../../errors.ts';
import type { Feed } from '../../../events/feed.ts';
import type { Follower } from '../../../events/follower.ts';
import { eventsArchived, type SequencedEvent } from '../../../events/store.ts';

/** Number of events per read of the table. */
const BATCH = 500;

type SequenceRequest = {
  appId: string;
  after: bigint | undefined;
  /** Only events that concern these, as for the feed. */
  resourceIds?: readonly string[];
  /** Selects the same events of the feed as `read` reads. */
  passes: (event: SequencedEvent) => boolean;
  /** Reads at most `limit` events after a number, oldest first. */
  read: (window: { after: bigint; limit: number }) => Promise<SequencedEvent[]>;
};

/**
 * Yields the events of an app after a number, or from now on without `after`, in sequence and without gaps or duplicates: first from the
 * table, then from the feed. The table is read only as fast as the consumer takes events, so that at most one batch is in memory, however
 * far behind the client is.
 */
export async function followSequence(
  world: { feed: Feed },
  request: SequenceRequest,
): Promise<AsyncIterableIterator<SequencedEvent, void, void>> {
  const { appId, resourceIds } = request;
  const join = () => world.feed.follow({ appId, ...(resourceIds ? { resourceIds } : {}) });
  let follower: Follower | undefined;
  let position = request.after;
  let batch: SequencedEvent[] = [];
  let caughtUp = position === undefined;
  let ended = false;
  if (caughtUp) follower = await join();

  /** Continues reading from the table, and joins the feed shortly before the end of the table. */
  async function readOn(after: bigint): Promise<void> {
    batch = await request.read({ after, limit: BATCH });
    const isLast = batch.length < BATCH;
    if (isLast && follower) caughtUp = true;
    // Events appended between this read and joining the feed are part of the next read.
    else if (isLast && !ended) follower = await join();
    if (ended) follower?.stop();
  }

  async function next(): Promise<IteratorResult<SequencedEvent, void>> {
    while (!ended) {
      const read = batch.shift();
      if (read) {
        position = read.sequence;
        return { value: read, done: false };
      }
      if (!caughtUp) {
        await readOn(position ?? 0n);
        continue;
      }
      const event = await follower?.events.next();
      if (!event || event.done) break;
      if (position !== undefined && event.value.sequence <= position) continue;
      position = event.value.sequence;
      if (request.passes(event.value)) return event;
    }
    return { value: undefined, done: true };
  }

  const iterator: AsyncIterableIterator<SequencedEvent, void, void> = {
    next,
    async return() {
      ended = true;
      follower?.stop();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/**
 * Returns `after` of a live field as a sequence number of this app. Throws VALIDATION_ERROR if it is negative or the app has no such event
 * yet: after a restored backup, or with the number of another app, the field would yield nothing for a long time. Throws EXPIRED if events
 * after it have been archived.
 */
export async function checkedAfter(
  database: Database,
  { appId, after }: { appId: string; after: number | null | undefined },
): Promise<bigint | undefined> {
  if (after == null) return undefined;
  requireNumber(after);
  const cursor = await database.eventCursor.findUnique({ where: { appId } });
  const [newest, archivedThrough] = [cursor?.lastSequence ?? 0n, cursor?.archivedSequence ?? 0n];
  if (BigInt(after) > newest) {
    throw invalid([{ param: 'after', message: `is ${after}, and the newest event is ${newest}` }]);
  }
  if (BigInt(after) < archivedThrough) throw eventsArchived({ after: BigInt(after), archivedThrough });
  return BigInt(after);
}

/** Throws VALIDATION_ERROR for a negative `after`, which cannot be a sequence number of any app, before anything is read. */
export function requireNumber(after: number | null | undefined): void {
  if (typeof after === 'number' && after < 0) throw invalid([{ param: 'after', message: `is ${after}, at least 0` }]);
}
