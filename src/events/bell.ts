/**
 * Notifies followers of the sequence with NOTIFY, naming the apps that have new events. It is sent after the commit, because a
 * NOTIFY inside a transaction serializes all commits of a database. The table is the source of truth: lost notifications are
 * covered by slow polling, and by fast polling while none are received.
 */
import { runStatement } from '../../prisma/brief-transaction.ts';
import { type Database, Prisma } from '../../prisma/client.ts';

export const bellChannel = 'sluice_events';
const MERGE_MS = 10;
/** A payload must be shorter than 8,000 bytes; each app takes 36 characters and a comma. */
const NAMED_APPS = 200;

const ringing = new WeakMap<Database, Set<string>>();

/** Sends a notification for an app, at most one per process and 10 ms for all apps together. */
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

/** The apps that a notification names; null if it stands for any app. */
export function rungApps(payload: string): readonly string[] | null {
  return payload === '' ? null : payload.split(',');
}
