/**
 * Rows that a process remembers for reads. A row is used for at most a second after it was read; all are forgotten as soon
 * as one of them has changed, in this process before the change is answered and in others when its notification arrives;
 * and nothing is remembered while notifications may be lost. What was not found is never remembered.
 */
import { LRUCache } from 'lru-cache';
import type { Listener } from './listener.ts';

const LONGEST_MS = 1_000;
/** The rows that were used last are kept; one takes up to a few kilobytes. */
const REMEMBERED_ROWS = 10_000;

/** The row under `key`, from memory or by `load`, which throws where there is none. */
export type RememberedRow<Row> = (key: string, load: () => Promise<Row>) => Promise<Row>;

export type RowMemory = {
  /** The rows of one kind, whose keys are its own. A key must not be a secret. */
  kind<Row extends object>(name: string): RememberedRow<Row>;
  forget(): void;
  /** How many rows are held. */
  size(): number;
  close(): void;
};

type RowMemoryOptions = {
  listener: Listener;
  /** Where every change of a remembered row is announced. */
  channel: string;
  /** Calls its argument when this process has committed such a change; returns what ends that. */
  onOwnChange: (forget: () => void) => () => void;
  /** By default 10,000. */
  limit?: number;
  /** A monotonic clock in milliseconds. */
  nowMs?: () => number;
};

/** What was read and when the read began: it may be as old as that. */
type Held = { row: object; readAtMs: number };
type Loading = { row: Promise<object>; readAtMs: number };

export function openRowMemory(options: RowMemoryOptions): RowMemory {
  const nowMs = options.nowMs ?? (() => performance.now());
  const held = new LRUCache<string, Held>({ max: options.limit ?? REMEMBERED_ROWS });
  const loading = new Map<string, Loading>();
  let isHeard = false;
  /** Counts what made everything be forgotten: what was read before it is not remembered after it. */
  let era = 0;

  function forget(): void {
    era += 1;
    held.clear();
    loading.clear();
  }

  function hear(isUp: boolean): void {
    isHeard = isUp;
    forget();
  }

  const isFresh = ({ readAtMs }: { readAtMs: number }) => nowMs() - readAtMs < LONGEST_MS;

  /** Simultaneous callers share one read, but never one that began before something changed. */
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
    onUp: () => hear(true),
    onDown: () => hear(false),
  });
  const stopWatching = options.onOwnChange(forget);

  return {
    kind(name) {
      return (key, load) => {
        if (!isHeard) return load();
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
      hear(false);
    },
  };
}
