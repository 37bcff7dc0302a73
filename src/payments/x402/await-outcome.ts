/** Callers that wait for outcomes: they are woken together when the app has new events, and share what they then read. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../../prisma/client.ts';
import { unguarded } from '../../../prisma/guarded-database.ts';
import type { Feed } from '../../events/feed.ts';

export type WaitingWorld = { feed: Pick<Feed, 'watch'> };

/**
 * Reads until the outcome is known, at most for `waitMs`, and returns what it read last. It reads at once, and again whenever the app has
 * new events or the feed polls.
 */
export async function awaitOutcome<Found extends { isKnown: boolean }>(
  { feed }: WaitingWorld,
  { appId, waitMs }: { appId: string; waitMs: number },
  read: () => Promise<Found>,
): Promise<Found> {
  const deadline = performance.now() + waitMs;
  const watch = feed.watch(appId);
  try {
    let found = await read();
    while (!found.isKnown && (await watch.changed(deadline))) found = await read();
    return found;
  } finally {
    watch.end();
  }
}

/**
 * Combines reads of one kind: all that the process begins in the same turn of its event loop share one call of `read`. The database of each
 * request is guarded on its own, so they are combined by the database behind it. Rows are found by their names.
 */
export function readTogether<Key, Row>(
  nameOf: (key: Key) => string,
  read: (database: Database, keys: readonly Key[]) => Promise<ReadonlyMap<string, Row>>,
): (database: Database, key: Key) => Promise<Row | undefined> {
  const open = new WeakMap<Database, { keys: Map<string, Key>; rows: Promise<ReadonlyMap<string, Row>> }>();
  const begin = (database: Database) => {
    const keys = new Map<string, Key>();
    const rows = turn().then(() => {
      open.delete(database);
      return read(database, [...keys.values()]);
    });
    const reading = { keys, rows };
    open.set(database, reading);
    return reading;
  };
  return async (guarded, key) => {
    const database = unguarded(guarded);
    const reading = open.get(database) ?? begin(database);
    reading.keys.set(nameOf(key), key);
    return (await reading.rows).get(nameOf(key));
  };
}
