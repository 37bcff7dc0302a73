/** Test files that have a process of their own, because they measure it or keep a browser in it. */
export const ownProcess = [
  'test/browser/**/*.test.ts',
  'test/events/webhook-attempts.test.ts',
  'test/events/webhook-memory.test.ts',
  'test/platform/collect-idle-garbage.test.ts',
];
