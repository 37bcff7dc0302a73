/**
 * An in-process cache of rows for reads. A row is used for at most one second after it was read. The whole cache is cleared as
 * soon as a cached row changes: in this process before the change is reported to the caller, in others when its notification
 * arrives. Nothing is cached while notifications may be lost, and missing rows are never cached.
 */
import { LRUCache } from 'lru-cache';
import type { Listener } from './listener.ts';

const LONGEST_MS = 1_000;
/** The least recently used rows are evicted; a row takes up to a few kilobytes. */
const REMEMBERED_ROWS = 10_000;

/** Returns the row under `key` from the cache or from `load`, which throws if there is none. */
export type RememberedRow<Row> = (key: string, load: () => Promise<Row>) => Promise<Row>;

export type RowMemory = {
  /** A cache for rows of one kind, with its own keys. A key must not be a secret. */
  kind<Row extends object>(name: string): RememberedRow<Row>;
  forget(): void;
  /** The number of cached rows. */
  size(): number;
  close(): void;
};

type RowMemoryOptions = {
  listener: Listener;
  /** The channel on which every change of a cacheable row is announced. */
  channel: string;
  /** Calls its argument whenever this process has committed such a change; returns a function that unsubscribes. */
  onOwnChange: (forget: () => void) => () => void;
  /** The maximum number of rows, 10,000 by default. */
  limit?: number;
  /** A monotonic clock in milliseconds. */
  nowMs?: () => number;
};

/** A row and when its read began; the row may be as old as that. */
type Held = { row: object; readAtMs: number };
type Loading = { row: Promise<object>; readAtMs: number };

export function openRowMemory(options: RowMemoryOptions): RowMemory {
  const nowMs = options.nowMs ?? (() => performance.now());
  const held = new LRUCache<string, Held>({ max: options.limit ?? REMEMBERED_ROWS });
  const loading = new Map<string, Loading>();
  let isListening = false;
  /** Incremented whenever the cache is cleared; a read that began before that is not cached after it. */
  let era = 0;

  function forget(): void {
    era += 1;
    held.clear();
    loading.clear();
  }

  function onListening(isUp: boolean): void {
    isListening = isUp;
    forget();
  }

  const isFresh = ({ readAtMs }: { readAtMs: number }) => nowMs() - readAtMs < LONGEST_MS;

  /** Concurrent callers share one read, but never one that began before a change. */
  function read(key: string, load: () => Promise<object>): Promise<object> {
    const begun = loading.get(key);
    if (begun && isFresh(begun)) return begun.row;
    const beganIn = era;
    const readAtMs = nowMs();
    const row = Promise.resolve()
      .then(load)
      .then((found) => {
        if (era === beganIn) held.set(key, { row: found, readAtMs });
        return found;
      })
      .finally(() => {
        if (loading.get(key)?.row === row) loading.delete(key);
      });
    loading.set(key, { row, readAtMs });
    return row;
  }

  const stopListening = options.listener.listen(options.channel, {
    onNotification: forget,
    onUp: () => onListening(true),
    onDown: () => onListening(false),
  });
  const stopWatching = options.onOwnChange(forget);

  return {
    kind(name) {
      return (key, load) => {
        if (!isListening) return load();
        const place = `${name}:${key}`;
        const found = held.get(place);
        // Only callers of this kind, whose rows are all of one type, put rows under its name.
        return (found && isFresh(found) ? Promise.resolve(found.row) : read(place, load)) as ReturnType<typeof load>;
      };
    },
    forget,
    size: () => held.size,
    close() {
      stopListening();
      stopWatching();
      onListening(false);
    },
  };
}
