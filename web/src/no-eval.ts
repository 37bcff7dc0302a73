/**
 * Imported before anything else: zod compiles its checks with `eval` where it can, and tries that when a schema is made.
 * Our policy refuses it, and the browser would tell an error for the mere try.
 */
import { config } from 'zod';

config({ jitless: true });
