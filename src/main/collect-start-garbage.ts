/**
 * Returns the memory that only the start of a process needed. V8 collects old objects as a process allocates new ones, and a process at
 * rest allocates so little that the objects of its start would stay for hours: 90 MiB in the API.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After the work that follows the start, such as loading what the first requests need. */
const AFTER_START_MS = 20_000;

/** Schedules a full collection after `afterMs`, which pauses the process for some tens of milliseconds. */
export function collectStartGarbage(afterMs: number = AFTER_START_MS): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
    collect();
  }, afterMs).unref();
}
