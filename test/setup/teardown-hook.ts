/** Vitest runs this before each test file, even if files share a process and its modules. */
import { afterAll } from 'vitest';
import { closeOpened } from './teardown.ts';

afterAll(closeOpened);
