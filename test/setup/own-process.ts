/** Test files that run in a separate process, because they measure the process. */
export const ownProcess = [
  'test/events/webhook-attempts.test.ts',
  'test/events/webhook-memory.test.ts',
  'test/platform/collect-idle-garbage.test.ts',
];
