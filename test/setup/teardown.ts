/**
 * What a test file opened is closed when the file ends, last opened first. Importing this module registers the hook,
 * so that helpers called from any hook or test may still add to it.
 */
import { afterAll } from 'vitest';

const closers: (() => Promise<void>)[] = [];

export function onTeardown(close: () => Promise<void>): void {
  closers.push(close);
}

afterAll(async () => {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything that the test opened could be closed.');
});
