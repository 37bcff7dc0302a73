import type { Database, Prisma } from '../../../prisma/client.ts';

/** What a sending key spends on gas at present, in base units of the chain's coin. */
export type Spending = { chainId: number; sender: string; wei: bigint; spanMs: number };

/** The transactions of a key that its rate is computed from. */
const SAMPLE = 500;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/**
 * Returns, for each key that has sent anything, the known gas costs of its latest 500 transactions of the last week, and the time in which
 * they were sent, which is at least a day unless there are 500 of them. One statement, by the key's nonces; the cost of a batch is the sum
 * of its items' shares. Transactions without a payment have no recorded cost and are left out.
 */
export async function readSpending(database: Database, now: Date): Promise<Spending[]> {
  const since = new Date(now.getTime() - WEEK_MS);
  const rows = await database.$queryRaw<
    { chainId: number; sender: string; wei: Prisma.Decimal; sent: number; first: Date }[]
  >`
    SELECT key.chain_id AS "chainId", key.address AS sender, spent.wei, spent.sent, spent.first
    FROM operator_nonce key CROSS JOIN LATERAL (
      SELECT coalesce(sum(cost.wei), 0) AS wei, count(*)::int AS sent, min(latest.created_at) AS first
      FROM (SELECT id, transaction_id, created_at FROM outgoing_transaction
        WHERE chain_id = key.chain_id AND sender = key.address AND nonce IS NOT NULL
        ORDER BY nonce DESC LIMIT ${SAMPLE}) latest
      LEFT JOIN LATERAL (
        SELECT sum(wei) AS wei FROM (
          SELECT gas_cost_wei AS wei FROM transaction WHERE id = latest.transaction_id
          UNION ALL
          SELECT step.gas_cost_wei FROM outgoing_transaction item JOIN transaction step ON step.id = item.transaction_id
          WHERE item.batch_id = latest.id
          UNION ALL
          SELECT gas_cost_wei FROM exact_gas_cost WHERE outgoing_id = latest.id
        ) AS borne
      ) cost ON true
      WHERE latest.created_at >= ${since}
    ) spent WHERE spent.sent > 0`;
  return rows.map(({ chainId, sender, wei, sent, first }) => {
    const age = Math.max(1, now.getTime() - first.getTime());
    return { chainId, sender, wei: BigInt(wei.toFixed()), spanMs: sent === SAMPLE ? age : Math.max(age, DAY_MS) };
  });
}

/** Whole days for which the balance lasts at this rate; null if nothing was spent. */
export function daysLeft(balance: bigint | null, spending: Spending | undefined): number | null {
  if (balance === null || !spending || spending.wei <= 0n) return null;
  const days = (balance * BigInt(Math.round(spending.spanMs))) / spending.wei / BigInt(DAY_MS);
  return Number(days > MOST_DAYS ? MOST_DAYS : days);
}

const MOST_DAYS = 36_500n;
