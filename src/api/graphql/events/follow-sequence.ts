import type { Database } from '../../../../prisma/client.ts';
import type { Feed } from '../../../events/feed.ts';
import type { Follower } from '../../../events/follower.ts';
import { readEvents, type SequencedEvent } from '../../../events/store.ts';

/** Events that one read of the table fetches. */
const BATCH = 500;

/**
 * Every event of an app after a number, in sequence, without gap or repetition: first from the table, then from the feed.
 * Without `after`: those from now on. The table is read only as fast as the consumer takes, so that however far behind a
 * client comes back, at most one batch of it is in memory.
 */
export async function followSequence(
  world: { database: Database; feed: Feed },
  request: { appId: string; after: bigint | undefined; types: readonly string[] | undefined },
): Promise<AsyncIterableIterator<SequencedEvent, void, void>> {
  const { appId, types } = request;
  let follower: Follower | undefined;
  let position = request.after;
  let batch: SequencedEvent[] = [];
  let caughtUp = position === undefined;
  let ended = false;
  if (caughtUp) follower = await world.feed.follow({ appId });

  /** Reads on from the table; joins the feed once the table has nearly been read to its end. */
  async function readOn(after: bigint): Promise<void> {
    batch = await readEvents(world.database, { appId, after, limit: BATCH, types });
    const isLast = batch.length < BATCH;
    if (isLast && follower) caughtUp = true;
    // What was appended between this read and the joining is in the next read.
    else if (isLast && !ended) follower = await world.feed.follow({ appId });
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
      if (!types || types.includes(event.value.type)) return event;
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
