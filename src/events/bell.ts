/**
 * The bell: a NOTIFY that wakes readers of the sequence. It is rung after commit, because a NOTIFY inside a
 * transaction serialises all commits of a database; the table is the truth and readers poll it as well.
 */
import { readRows } from '../../prisma/brief-transaction.ts';
import { type Database, Prisma } from '../../prisma/client.ts';

export const bellChannel = 'sluice_events';
const MERGE_MS = 10;

const ringing = new WeakSet<Database>();

/** Rings at most once per process and 10 ms. A bell that fails is made good by the readers' polling. */
export function ringBell(database: Database): void {
  if (ringing.has(database)) return;
  ringing.add(database);
  setTimeout(() => {
    ringing.delete(database);
    readRows(database, Prisma.sql`SELECT pg_notify(${bellChannel}, '')`).catch(() => undefined);
  }, MERGE_MS).unref();
}
