/** Test files that run in a separate process, because they measure the process or keep a browser in it. */
export const ownProcess = [
  'test/browser/**/*.test.ts',
  'test/events/webhook-attempts.test.ts',
  'test/events/webhook-memory.test.ts',
  'test/platform/collect-idle-garbage.test.ts',
];
