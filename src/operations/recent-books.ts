import { setTimeout as delay } from 'node:timers/promises';
import { unguarded } from '../../prisma/guarded-database.ts';
import type { OperationsWorld } from './operations-world.ts';
import { type BooksLine, compareBooks } from './read-installation.ts';

type Recent = { lines: BooksLine[] | null; atMs: number; running: Promise<void> | null };

/** A comparison is reused for this long, regardless of the number of requests. */
const FRESH_MS = 30_000;
/** A page does not wait longer for a comparison, which reads the state of every open payment. */
const WAIT_MS = 500;

const recents = new WeakMap<object, Recent>();

/**
 * Returns the last comparison of the ledger by this process, and begins a new one if it is older than half a minute, one at a time. Returns
 * nothing until the first comparison has ended. Never waits longer than half a second.
 */
export async function recentBooks(caller: OperationsWorld): Promise<BooksLine[]> {
  // Each request has a database of its own, which checks its credential. The comparison is shared by the process.
  const world = { ...caller, database: unguarded(caller.database) };
  const recent = recents.get(world.database) ?? { lines: null, atMs: 0, running: null };
  recents.set(world.database, recent);
  if (recent.running === null && world.clock.now().getTime() - recent.atMs >= FRESH_MS) {
    recent.running = compareBooks(world)
      .then((lines) => void Object.assign(recent, { lines }))
      .catch(() => void Object.assign(recent, { lines: null }))
      .finally(() => void Object.assign(recent, { atMs: world.clock.now().getTime(), running: null }));
  }
  if (recent.running) await Promise.race([recent.running, delay(WAIT_MS, undefined, { ref: false })]);
  return recent.lines ?? [];
}
