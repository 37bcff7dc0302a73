import { type Database, Prisma } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';

export type OverviewBucket = 'HOUR' | 'DAY' | 'WEEK' | 'MONTH';

/** One cell of the overview: the intents created in a time bucket, by status, currency, and the chain they were paid on. */
export type OverviewCell = {
  bucket: Date;
  status: string;
  currency: string;
  chainId: number | null;
  count: number;
  /** In `currency`. */
  amount: Prisma.Decimal;
};

const units: { [Bucket in OverviewBucket]: string } = { HOUR: 'hour', DAY: 'day', WEEK: 'week', MONTH: 'month' };

/** Payment intents created in [from, to) in the scope, counted and summed in one statement; buckets start in UTC. */
export async function readOverview(
  database: Database,
  request: { scope: Scope; from: Date; to: Date; bucket: OverviewBucket },
): Promise<OverviewCell[]> {
  const { scope, from, to, bucket } = request;
  const apps =
    scope.appId === null
      ? Prisma.sql`app_id IN (SELECT id FROM app WHERE merchant_id = ${scope.merchantId}::uuid)`
      : Prisma.sql`app_id = ${scope.appId}::uuid`;
  const rows = await database.$queryRaw<
    { bucket: Date; status: string; currency: string; chain_id: number | null; count: bigint; amount: Prisma.Decimal }[]
  >`
    SELECT date_trunc(${units[bucket]}, created_at, 'UTC') AS bucket, status::text AS status, currency,
      authorization_chain_id AS chain_id, count(*) AS count, sum(amount) AS amount
    FROM payment_intent
    WHERE ${apps} AND created_at >= ${from} AND created_at < ${to}
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`;
  return rows.map(({ chain_id: chainId, count, ...row }) => ({ ...row, chainId, count: Number(count) }));
}
