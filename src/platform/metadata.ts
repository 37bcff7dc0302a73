/** The caller's own key-value pairs, which are stored and returned but never interpreted. */
import { z } from 'zod';

const KEYS_LIMIT = 50;
const BYTES_LIMIT = 16 * 1024;

/** An object of at most 50 keys and 16 KiB as JSON. */
export const metadataSchema = z
  .record(z.string(), z.json())
  .refine((metadata) => Object.keys(metadata).length <= KEYS_LIMIT, `at most ${KEYS_LIMIT} keys`)
  .refine(
    (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= BYTES_LIMIT,
    `at most ${BYTES_LIMIT} bytes as JSON`,
  );
