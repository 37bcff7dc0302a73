import type { Database } from '../../../../prisma/client.ts';
import { invalid } from '../../../errors.ts';
import type { Feed } from '../../../events/feed.ts';
import type { Follower } from '../../../events/follower.ts';
import { lastSequence, type SequencedEvent } from '../../../events/store.ts';

/** Events that one read of the table fetches. */
const BATCH = 500;

type SequenceRequest = {
  appId: string;
  after: bigint | undefined;
  /** Only what concerns these, where they are named; as of the feed. */
  resourceIds?: readonly string[];
  /** Which of the feed's events are meant: the same that `read` reads. */
  passes: (event: SequencedEvent) => boolean;
  /** At most `limit` events after a number, oldest first. */
  read: (window: { after: bigint; limit: number }) => Promise<SequencedEvent[]>;
};

/**
 * Events of an app after a number, in sequence, without gap or repetition: first from the table, then from the feed.
 * Without `after`: those from now on. The table is read only as fast as the consumer takes, so that however far behind a
 * client comes back, at most one batch of it is in memory.
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

  /** Reads on from the table; joins the feed once the table has nearly been read to its end. */
  async function readOn(after: bigint): Promise<void> {
    batch = await request.read({ after, limit: BATCH });
    const isLast = batch.length < BATCH;
    if (isLast && follower) caughtUp = true;
    // What was appended between this read and the joining is in the next read.
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
 * `after` of a live field as a sequence number of this app. VALIDATION_ERROR where it is negative, and where the app has no
 * such event yet: after a restored backup, or with a number of another app, the field would be silent for long.
 */
export async function checkedAfter(
  database: Database,
  { appId, after }: { appId: string; after: number | null | undefined },
): Promise<bigint | undefined> {
  if (after == null) return undefined;
  demandNumber(after);
  const newest = await lastSequence(database, appId);
  if (BigInt(after) > newest) {
    throw invalid([{ param: 'after', message: `is ${after}, and the newest event is ${newest}` }]);
  }
  return BigInt(after);
}

/** Throws VALIDATION_ERROR for a negative `after`, which cannot be a sequence number of any app, before anything is read. */
export function demandNumber(after: number | null | undefined): void {
  if (typeof after === 'number' && after < 0) throw invalid([{ param: 'after', message: `is ${after}, at least 0` }]);
}
