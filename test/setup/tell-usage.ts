/**
 * Loaded before a program (`node --expose-gc --import`): tells the process that started it what it has used. Asked `cpu`, it
 * answers microseconds of all its threads; asked `held`, the bytes of its heap that are left when the rest is collected.
 */
process.on('message', (asked) => {
  if (asked === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
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
