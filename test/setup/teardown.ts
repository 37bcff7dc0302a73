/**
 * What a test file opened is closed when the file ends, last opened first. `teardown-hook.ts` registers the hook for every
 * file, so that helpers called from any hook or test may still add to it.
 */
const closers: (() => Promise<void>)[] = [];

export function onTeardown(close: () => Promise<void>): void {
  closers.push(close);
}

export async function closeOpened(): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything that the test opened could be closed.');
}
