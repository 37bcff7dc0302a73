/**
 * Loaded before a program (`node --expose-gc --import`): reports to the process that started it what it has used. Asked `cpu`, it
 * answers microseconds of all its threads and of its main thread, and how often garbage was collected so far; asked `held`, the bytes of its heap that
 * are left when the rest is collected.
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
    // Node reports a collection one turn of the event loop after it.
    setImmediate(() =>
      setImmediate(() => {
        collections += observer.takeRecords().length;
        process.send?.({ cpuUs: user + system, mainUs: main.user + main.system, collections });
      }),
    );
  }
  if (asked !== 'held') return;
  globalThis.gc?.();
  // What finalizers let go is collected by the second.
  setImmediate(() => {
    globalThis.gc?.();
    process.send?.(process.memoryUsage().heapUsed);
  });
});
process.channel?.unref();
