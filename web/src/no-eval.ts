/**
 * Imported before anything else. zod compiles its checks with `eval` if possible, and tests that when the first schema is created. Our policy forbids it, and
 * the browser would log an error for the attempt.
 */
import { config } from 'zod';

config({ jitless: true });
