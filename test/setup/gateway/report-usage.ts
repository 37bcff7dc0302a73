/**
 * Loaded before a program (`node --expose-gc --import`): reports the program's usage to its parent process. The message `cpu` is answered
 * with the CPU time in microseconds of all threads and of the main thread, and the number of garbage collections so far. The message `held`
 * is answered with the size of the heap in bytes after a garbage collection.
 */
import { PerformanceObserver } from 'node:perf_hooks';

let collections = 0;
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().length;
});
observer.observe({ entryTypes: ['gc'] });

process.on('message', (asked) => {
  if (asked === 'cpu') {
    const { user, system } = process.cpuUsage();
    const main = process.threadCpuUsage();
    // Node reports a collection one turn of the event loop later.
    setImmediate(() =>
      setImmediate(() => {
        collections += observer.takeRecords().length;
        process.send?.({ cpuUs: user + system, mainUs: main.user + main.system, collections });
      }),
    );
  }
  if (asked !== 'held') return;
  globalThis.gc?.();
  // The second collection frees what finalizers have released.
  setImmediate(() => {
    globalThis.gc?.();
    process.send?.(process.memoryUsage().heapUsed);
  });
});
process.channel?.unref();
