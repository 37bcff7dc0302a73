/** A process's copy of the test clock: a notification updates it within milliseconds, and polling covers lost ones. */
import { type Database, Prisma } from '../../prisma/client.ts';
import type { WriteCheck } from '../../prisma/guarded-database.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Listener } from '../platform/database/listener.ts';
import type { Log } from '../platform/log.ts';
import { clockChannel, offsetMs as presentOffset, readOffset } from './store.ts';

/** While notifications are received, and while they may be lost. */
const SLOW_POLL_MS = 10_000;
const FAST_POLL_MS = 500;

export type FollowedClock = {
  /** Whether the installation has a test clock; without one, the functions here do nothing. */
  isMovable: boolean;
  /** Shows the real time if the clock cannot be moved, and until `follow` has been called. */
  clock: Clock;
  /** Resolves when the offset has been read; rejects if the database does not respond. */
  follow(): Promise<void>;
  /** Whether this process is notified of advances; if not, reads also read the offset. */
  isListening(): boolean;
  /** Applies an offset before its notification arrives; never moves back. */
  take(offsetMs: number): void;
  /** Reads the offset now, so that work begun after an advance in another process uses the new time. */
  catchUp(database: Database): Promise<void>;
  close(): Promise<void>;
};

/** `listener` must be connected to the same database. If `movable` is false, the clock shows the real time. */
export function openClock(options: {
  database: Database;
  listener: Listener;
  log: Log;
  movable: boolean;
}): FollowedClock {
  const { database, log } = options;
  if (!options.movable) {
    const nothing = async () => undefined;
    return {
      isMovable: false,
      clock: systemClock,
      isListening: () => true,
      follow: nothing,
      take: () => undefined,
      catchUp: nothing,
      close: nothing,
    };
  }
  let offsetMs = 0;
  let poll: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  /** Whether this process is notified of advances, and how many times that has started. */
  let isUp = false;
  let ups = 0;
  /** The value of `ups` for which the offset was last read. */
  let readSince = 0;
  let closed = false;
  const take = (next: number) => {
    offsetMs = Math.max(offsetMs, next);
  };
  const catchUp = async (reader: Database) => take(await readOffset(reader));
  const refresh = async () => {
    const begunIn = isUp ? ups : 0;
    await catchUp(database);
    readSince = begunIn;
  };
  const warn = (error: unknown) => log.debug({ error }, 'The test clock could not be read.');
  const listen = () =>
    options.listener.listen(clockChannel, {
      onNotification: (payload) => take(Number(payload)),
      onUp() {
        isUp = true;
        ups += 1;
        // Earlier advances must be read before anything relies on notifications.
        refresh().catch(warn);
      },
      onDown() {
        isUp = false;
        if (!closed) later();
      },
    });
  const isListening = () => isUp && readSince === ups;
  const later = () => {
    clearTimeout(poll);
    poll = setTimeout(
      async () => {
        await refresh().catch(warn);
        if (!closed) later();
      },
      isListening() ? SLOW_POLL_MS : FAST_POLL_MS,
    );
    poll.unref();
  };
  return {
    isMovable: true,
    isListening,
    clock: { now: () => new Date(Date.now() + offsetMs) },
    take,
    catchUp,
    async follow() {
      stopListening ??= listen();
      await refresh();
      later();
    },
    async close() {
      closed = true;
      clearTimeout(poll);
      stopListening?.();
    },
  };
}

/** A check of a transaction that also reads the clock's offset in the same statement and applies it. */
export function checkWithOffset({ take }: Pick<FollowedClock, 'take'>, { query, verify }: WriteCheck): WriteCheck {
  const checked = query ? Prisma.sql`(SELECT to_jsonb(found.*) FROM (${query}) AS found)` : Prisma.sql`NULL::jsonb`;
  return {
    query: Prisma.sql`SELECT ${checked} AS checked, ${presentOffset} AS offset_ms`,
    verify(row) {
      verify(isRow(row?.checked) ? row.checked : null);
      take(Number(row?.offset_ms ?? 0));
    },
  };
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
