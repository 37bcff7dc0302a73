/**
 * The live feed of a process: a single reader of the sequence, shared by all followers of an app. Notifications wake it. It also
 * polls every ten seconds, and twice a second while notifications may be lost. It delivers events from the table, in sequence
 * order, once per follower. Callers that wait for something else than events are only woken.
 */
import type { Database } from '../../prisma/client.ts';
import type { Log } from '../platform/log.ts';
import { type AppWatch, openAppWatches } from './app-watches.ts';
import { type AnnouncementOptions, followAnnouncements } from './follow-announcements.ts';
import { EventQueue, type Follower } from './follower.ts';
import { lastSequence, readNewEvents, type SequencedEvent } from './store.ts';

/** The maximum number of events of one app per read; if there are more, the next read follows at once. */
const BATCH = 500;

export type FollowRequest = {
  appId: string;
  /** Only events that concern one of these, each once; all events of the app if omitted. */
  resourceIds?: readonly string[];
  queueLimit?: number;
};

export type Feed = {
  /** Follows an app from its current end. Ending the iterator stops following. */
  follow(request: FollowRequest): Promise<Follower>;
  /** Watches an app without reading its events. Sends no statement. */
  watch(appId: string): AppWatch;
  /** The current number of followers. */
  followers(): number;
  close(): Promise<void>;
};

type AppReader = { last: bigint; everything: Set<EventQueue>; byResource: Map<string, Set<EventQueue>> };

/** Opens the feed; `listener` must be connected to the same database. */
export function openFeed(options: AnnouncementOptions & { database: Database; log: Log; queueLimit?: number }): Feed {
  const { database, log } = options;
  const apps = new Map<string, AppReader>();
  const watches = openAppWatches();
  const starting = new Map<string, Promise<AppReader>>();
  let reading: Promise<void> | undefined;
  let again = false;
  let closed = false;

  function read(): void {
    if (closed || apps.size === 0) return;
    if (reading) {
      again = true;
      return;
    }
    reading = readAll()
      .catch((error: unknown) => log.warn({ err: error }, 'The feed could not be read. It will be retried.'))
      .finally(() => {
        reading = undefined;
        if (again) {
          again = false;
          read();
        }
      });
  }

  async function readAll(): Promise<void> {
    let behind = true;
    while (behind && !closed) {
      const positions = new Map([...apps].map(([appId, reader]) => [appId, reader.last]));
      if (positions.size === 0) return;
      const events = await readNewEvents(database, positions, BATCH);
      for (const event of events) give(event);
      behind = events.length >= BATCH;
    }
  }

  function give(event: SequencedEvent): void {
    const reader = apps.get(event.appId);
    if (!reader || event.sequence <= reader.last) return;
    reader.last = event.sequence;
    for (const queue of reader.everything) queue.push(event);
    const notified = new Set<EventQueue>();
    for (const id of concerned(event)) for (const queue of reader.byResource.get(id) ?? []) notified.add(queue);
    for (const queue of notified) queue.push(event);
  }

  /** The reader of an app, which starts at the app's current end. */
  function readerOf(appId: string): Promise<AppReader> {
    const before = starting.get(appId);
    if (before) return before;
    const begun = lastSequence(database, appId)
      .then((last) => readerFrom(appId, last))
      .finally(() => starting.delete(appId));
    starting.set(appId, begun);
    return begun;
  }

  /** Never creates a second reader beside one that has followers. */
  function readerFrom(appId: string, last: bigint): AppReader {
    const known = apps.get(appId);
    if (known) return known;
    const reader: AppReader = { last, everything: new Set(), byResource: new Map() };
    apps.set(appId, reader);
    return reader;
  }

  function join({ appId, resourceIds }: FollowRequest, reader: AppReader, queue: EventQueue): void {
    // The app's last follower may have left while this one waited.
    apps.set(appId, reader);
    if (!resourceIds) reader.everything.add(queue);
    for (const id of resourceIds ?? []) {
      const set = reader.byResource.get(id) ?? new Set();
      set.add(queue);
      reader.byResource.set(id, set);
    }
  }

  function leave({ appId, resourceIds }: FollowRequest, reader: AppReader, queue: EventQueue): void {
    reader.everything.delete(queue);
    for (const id of resourceIds ?? []) {
      const set = reader.byResource.get(id);
      set?.delete(queue);
      if (set?.size === 0) reader.byResource.delete(id);
    }
    if (reader.everything.size === 0 && reader.byResource.size === 0 && apps.get(appId) === reader) apps.delete(appId);
  }

  const announcements = followAnnouncements(options, (announced) => {
    if (announced === null || announced.some((appId) => apps.has(appId))) read();
    watches.wake(announced);
  });

  return {
    async follow(request) {
      const joined = apps.get(request.appId);
      const started = joined ?? (await readerOf(request.appId));
      const reader = apps.get(request.appId) ?? started;
      const queue = new EventQueue({
        onEnd: () => leave(request, reader, queue),
        limit: request.queueLimit ?? options.queueLimit,
      });
      join(request, reader, queue);
      // A notification may have arrived before this reader was registered.
      if (reader !== joined) read();
      return {
        startedAfter: reader.last,
        events: queue.read(),
        stop: (failure) => (failure ? queue.end(failure) : queue.end()),
      };
    },
    watch: watches.open,
    followers: () => [...apps.values()].reduce((sum, reader) => sum + queuesOf(reader).length, 0),
    async close() {
      closed = true;
      announcements.stop();
      for (const reader of apps.values()) for (const queue of queuesOf(reader)) queue.end();
      apps.clear();
      watches.close();
      await reading;
    },
  };
}

/** The resources that an event concerns: its own, and the payment or subscription of a dispute, session or invoice. */
function concerned(event: SequencedEvent): Set<string> {
  const ids = new Set([event.resourceId]);
  for (const name of ['paymentIntentId', 'subscriptionId']) {
    const id = event.data[name];
    if (typeof id === 'string') ids.add(id);
  }
  return ids;
}

function queuesOf(reader: AppReader): EventQueue[] {
  return [...new Set([...reader.everything, ...[...reader.byResource.values()].flatMap((set) => [...set])])];
}
