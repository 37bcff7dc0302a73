/**
 * Collects the garbage of a process while it is idle. V8 collects old objects as a process allocates new ones, and an idle process
 * allocates so little that the objects of its start, or of its last busy minute, would stay for hours: 90 MiB in the API.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The first check follows the work after the start, such as loading what the first requests need. */
const FIRST_CHECK_MS = 20_000;
const CHECK_EVERY_MS = 60_000;
/** A process that used the CPU for a smaller share of the time since the last check is at rest. */
const RESTING_SHARE = 0.05;
/** A collection pauses the process for tens of milliseconds, which is not worthwhile for less garbage. */
const WORTHWHILE_BYTES = 8 * 1024 * 1024;

/**
 * Schedules full collections, each after an interval of rest in which the heap has grown. The first needs no rest, and the second no growth,
 * because a start may take longer than the time until the first.
 */
export function collectIdleGarbage({
  firstMs = FIRST_CHECK_MS,
  everyMs = CHECK_EVERY_MS,
  collect = garbageCollector(),
} = {}): void {
  let kept = 0;
  let since = { at: performance.now(), cpu: process.cpuUsage() };
  const check = (isFirst: boolean) => {
    const { user, system } = process.cpuUsage(since.cpu);
    const share = (user + system) / 1000 / (performance.now() - since.at);
    const grown = process.memoryUsage().heapUsed - kept;
    if (isFirst || (share < RESTING_SHARE && grown >= WORTHWHILE_BYTES)) {
      collect();
      if (!isFirst) kept = process.memoryUsage().heapUsed;
    }
    since = { at: performance.now(), cpu: process.cpuUsage() };
  };
  setTimeout(() => {
    check(true);
    setInterval(() => check(false), everyMs).unref();
  }, firstMs).unref();
}

/** A collection of last resort also moves what remains together, so that V8 returns 10 to 15 MiB of pages that are almost empty. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
