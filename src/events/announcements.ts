/**
 * Notifies followers of the sequence with NOTIFY, naming the apps that have new events. It is sent after the commit, because a
 * NOTIFY inside a transaction serializes all commits of a database. The table is the source of truth: lost notifications are
 * covered by slow polling, and by fast polling while none are received.
 */
import { runStatement } from '../../prisma/brief-transaction.ts';
import { type Database, Prisma } from '../../prisma/client.ts';

export const announcementChannel = 'sluice_events';
const MERGE_MS = 10;
/** A payload must be shorter than 8,000 bytes; each app takes 36 characters and a comma. */
const NAMED_APPS = 200;

/** Apps with new events since the last notification of a process, while the next one has to wait. */
const gathered = new WeakMap<Database, Set<string>>();

/** Sends a notification for an app at once, unless the process has sent one in the last 10 ms: the next one then names all apps. */
export function announceEvents(database: Database, appId: string): void {
  const waiting = gathered.get(database);
  if (waiting) waiting.add(appId);
  else notify(database, [appId]);
}

function notify(database: Database, apps: readonly string[]): void {
  const payload = apps.length > NAMED_APPS ? '' : apps.join();
  runStatement(database, Prisma.sql`SELECT pg_notify(${announcementChannel}, ${payload})`).catch(() => undefined);
  gathered.set(database, new Set());
  setTimeout(() => {
    const waiting = [...(gathered.get(database) ?? [])];
    gathered.delete(database);
    if (waiting.length > 0) notify(database, waiting);
  }, MERGE_MS).unref();
}

/** The apps that a notification names; null if it is for every app. */
export function announcedApps(payload: string): readonly string[] | null {
  return payload === '' ? null : payload.split(',');
}
