import type { Database } from '../../../prisma/client.ts';

/** Longer than the slowest bucket takes to fill, which is that of one-time passwords with an hour. */
const KEPT_SECONDS = 86_400;
/** Large, for without an index on the time each batch reads the table; with one, every request would have to keep it. */
const BATCH = 20_000;
const MAX_BATCHES = 50;

/**
 * Deletes rate limit buckets that nobody has taken from for a day, or for as long as `limits` allows a bucket to fill: each is
 * full again, which a bucket without a row is too. Every address that ever called has one. In batches, so that no statement
 * holds many rows. Returns how many.
 */
export async function purgeBuckets(
  { database }: { database: Database },
  { limits }: { limits: { perSecond: number; burst: number } },
): Promise<number> {
  const seconds = Math.max(KEPT_SECONDS, limits.burst / limits.perSecond);
  let purged = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    // On the database's clock, as they are filled. One that is taken from at this moment is left alone.
    const count = await database.$executeRaw`
      DELETE FROM rate_bucket WHERE key IN (
        SELECT key FROM rate_bucket WHERE updated_at < clock_timestamp() - ${seconds}::float8 * interval '1 second'
        LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
    purged += count;
    if (count < BATCH) break;
  }
  return purged;
}
