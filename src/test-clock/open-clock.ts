/** A process's copy of the test clock: the bell sets it within milliseconds, and polling bridges what the bell misses. */
import type pg from 'pg';
import { type Database, Prisma } from '../../prisma/client.ts';
import type { WriteCheck } from '../../prisma/guarded-database.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { steadyClient } from '../platform/database/steady-client.ts';
import type { Log } from '../platform/log.ts';
import { clockChannel, offsetMs as presentOffset, readOffset } from './store.ts';

const POLL_MS = 500;

export type FollowedClock = {
  /** Whether the installation has a test clock; without one everything here does nothing. */
  isMovable: boolean;
  /** The real time where the clock cannot be moved, and until `follow` has been called. */
  clock: Clock;
  /** Resolves when the offset has been read; rejects when the database does not answer. */
  follow(): Promise<void>;
  /** Takes an offset before the bell brings it; never back. */
  take(offsetMs: number): void;
  /** Reads the offset now, so that what begins after an advance has ended in another process goes by the new time. */
  catchUp(database: Database): Promise<void>;
  close(): Promise<void>;
};

/** `listenUrl` must lead to the database without a pooler between. Where `movable` is false it is the real clock. */
export function openClock(options: {
  database: Database;
  listenUrl: string;
  log: Log;
  movable: boolean;
}): FollowedClock {
  const { database, log } = options;
  if (!options.movable) {
    const nothing = async () => undefined;
    return {
      isMovable: false,
      clock: systemClock,
      follow: nothing,
      take: () => undefined,
      catchUp: nothing,
      close: nothing,
    };
  }
  let offsetMs = 0;
  let poll: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  let closed = false;
  const take = (next: number) => {
    offsetMs = Math.max(offsetMs, next);
  };
  const catchUp = async (reader: Database) => take(await readOffset(reader));
  const listen = async () => {
    const made = steadyClient({ url: options.listenUrl, name: 'sluice-clock' });
    client = made;
    made.on('notification', ({ payload }) => take(Number(payload)));
    made.on('error', () => undefined);
    made.on('end', () => {
      if (client === made) client = undefined;
    });
    await made.connect();
    await made.query(`LISTEN ${clockChannel}`);
  };
  const turn = async () => {
    if (!client) await listen();
    await catchUp(database);
  };
  const later = () => {
    poll = setTimeout(async () => {
      await turn().catch((error: unknown) => log.debug({ error }, 'The test clock could not be read.'));
      if (!closed) later();
    }, POLL_MS);
    poll.unref();
  };
  return {
    isMovable: true,
    clock: { now: () => new Date(Date.now() + offsetMs) },
    take,
    catchUp,
    async follow() {
      await turn();
      later();
    },
    async close() {
      closed = true;
      clearTimeout(poll);
      await client?.end().catch(() => undefined);
    },
  };
}

/** A check of a transaction that reads the clock's offset with the same statement, and takes it. */
export function checkWithOffset({ take }: Pick<FollowedClock, 'take'>, { query, judge }: WriteCheck): WriteCheck {
  const checked = query ? Prisma.sql`(SELECT to_jsonb(found.*) FROM (${query}) AS found)` : Prisma.sql`NULL::jsonb`;
  return {
    query: Prisma.sql`SELECT ${checked} AS checked, ${presentOffset} AS offset_ms`,
    judge(row) {
      judge(isRow(row?.checked) ? row.checked : null);
      take(Number(row?.offset_ms ?? 0));
    },
  };
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
