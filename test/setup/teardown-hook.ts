/** Vitest runs this before each test file, even if files share a process and its modules. */
import { afterAll } from 'vitest';
import { closeOpened } from './teardown.ts';

// Vitest calls no hook of a file that fails while it is loaded. What such a file has opened is closed before the next one.
await closeOpened().catch(() => undefined);
afterAll(closeOpened);
