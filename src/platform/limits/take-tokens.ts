import type { Database } from '../../../prisma/client.ts';

/** A token bucket: it refills at `perSecond` up to `burst`. */
export type Bucket = { key: string; perSecond: number; burst: number };

export type TokenGrant = {
  /** Whole tokens granted, from 0 to `asked`. */
  granted: number;
  /** The tokens that remain in the bucket, including fractions. */
  remaining: number;
};

/**
 * Takes up to `asked` whole tokens from a bucket that all processes share, after returning `returned` unspent ones. One statement
 * on the bucket's row, using the database's clock. A bucket that was never used is full.
 */
export async function takeTokens(
  database: Database,
  { bucket, asked, returned = 0 }: { bucket: Bucket; asked: number; returned?: number },
): Promise<TokenGrant> {
  return (await update(database, bucket, asked, returned)) ?? (await create(database, bucket, asked, returned));
}

/** Losing a bucket costs less than a disk flush per request, so its commit does not wait for one. */
async function update(
  database: Database,
  bucket: Bucket,
  asked: number,
  returned: number,
): Promise<TokenGrant | undefined> {
  const rows = await database.$queryRaw<TokenGrant[]>`
    WITH held AS (
      SELECT key, least(${bucket.burst}::float8, tokens + ${returned}::float8
        + greatest(0, extract(epoch FROM clock_timestamp() - updated_at)::float8) * ${bucket.perSecond}::float8) AS available
      FROM rate_bucket
      WHERE key = ${bucket.key} AND set_config('synchronous_commit', 'off', true) IS NOT NULL
      FOR UPDATE
    )
    UPDATE rate_bucket AS b
    SET tokens = held.available - least(${asked}::float8, floor(held.available)),
        updated_at = greatest(b.updated_at, clock_timestamp())
    FROM held WHERE b.key = held.key
    RETURNING least(${asked}::float8, floor(held.available)) AS granted, b.tokens AS remaining`;
  return rows[0];
}

async function create(database: Database, bucket: Bucket, asked: number, returned: number): Promise<TokenGrant> {
  await database.$executeRaw`
    INSERT INTO rate_bucket (key, tokens, updated_at) VALUES (${bucket.key}, ${bucket.burst}, clock_timestamp())
    ON CONFLICT (key) DO NOTHING`;
  return (await update(database, bucket, asked, returned)) ?? { granted: 0, remaining: 0 };
}
