import type { Database } from '../../../prisma/client.ts';

/** Longer than the slowest bucket takes to refill: that of one-time passwords, which takes an hour. */
const KEPT_SECONDS = 86_400;
/** Large, because without an index on the time each batch scans the table; an index would have to be updated by every request. */
const BATCH = 20_000;
const MAX_BATCHES = 50;

/**
 * Deletes rate limit buckets that have not been used for a day, or for as long as a bucket with `limits` takes to refill: each is
 * full again, like a bucket without a row. Every address that ever called has one. Works in batches, so that no statement locks
 * many rows. Returns the number deleted.
 */
export async function purgeBuckets(
  { database }: { database: Database },
  { limits }: { limits: { perSecond: number; burst: number } },
): Promise<number> {
  const seconds = Math.max(KEPT_SECONDS, limits.burst / limits.perSecond);
  let purged = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    // Uses the database's clock, as refilling does. A bucket in use at this moment is skipped.
    const count = await database.$executeRaw`
      DELETE FROM rate_bucket WHERE key IN (
        SELECT key FROM rate_bucket WHERE updated_at < clock_timestamp() - ${seconds}::float8 * interval '1 second'
        LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
    purged += count;
    if (count < BATCH) break;
  }
  return purged;
}
