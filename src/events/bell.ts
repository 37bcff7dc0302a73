/**
 * The bell: a NOTIFY that wakes those who follow the sequence, with the apps whose sequence has grown. It is rung after commit,
 * because a NOTIFY inside a transaction serialises all commits of a database. The table is the truth: a notification that is
 * lost is made good by a slow look at it, and while none is received, by a fast one.
 */
import { runStatement } from '../../prisma/brief-transaction.ts';
import { type Database, Prisma } from '../../prisma/client.ts';

export const bellChannel = 'sluice_events';
const MERGE_MS = 10;
/** A payload has less than 8,000 bytes, and an id 36 and a comma. */
const NAMED_APPS = 200;

const ringing = new WeakMap<Database, Set<string>>();

/** Rings for an app, at most once per process and 10 ms for all apps together. */
export function ringBell(database: Database, appId: string): void {
  const waiting = ringing.get(database);
  if (waiting) {
    waiting.add(appId);
    return;
  }
  const apps = new Set([appId]);
  ringing.set(database, apps);
  setTimeout(() => {
    ringing.delete(database);
    const payload = apps.size > NAMED_APPS ? '' : [...apps].join();
    runStatement(database, Prisma.sql`SELECT pg_notify(${bellChannel}, ${payload})`).catch(() => undefined);
  }, MERGE_MS).unref();
}

/** For which apps the bell was rung; null for any. */
export function rungApps(payload: string): readonly string[] | null {
  return payload === '' ? null : payload.split(',');
}
