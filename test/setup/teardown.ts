/**
 * Closes the resources that a test file opened when the file ends, in reverse order. `teardown-hook.ts` registers the hook for every file,
 * so helpers that are called from any hook or test can still add resources.
 */
const closers: (() => Promise<void>)[] = [];

export function onTeardown(close: () => Promise<void>): void {
  closers.push(close);
}

export async function closeOpened(): Promise<void> {
  const failures: unknown[] = [];
  // A closer may add another one.
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything that the test opened could be closed.');
}
