import type { Database } from '../../../prisma/client.ts';

/** The deposit addresses of plain transfers, by chain. Ages are in seconds; 0 if there is nothing of that kind. */
export type DepositSigns = {
  chainId: number;
  /** Addresses whose payment can still be collected. */
  open: number;
  /** Addresses with money whose return fails. */
  stuck: number;
  stuckSeconds: number;
  /** Addresses about whose money a decision has been due for ten minutes. */
  overdue: number;
  /** Time since the latest deposit at the address that has waited longest to be collected or returned. */
  uncollectedSeconds: number;
};

/** Balance of all deposit addresses of a chain in one token, in base units. */
export type DepositsHeld = { chainId: number; tokenKey: string; held: string };

const OVERDUE_SECONDS = 600;

/** Counts open addresses and those with money by partial indexes, so that addresses of the past cost nothing. */
export async function readDeposits(database: Database, now: Date): Promise<DepositSigns[]> {
  const before = new Date(now.getTime() - OVERDUE_SECONDS * 1000);
  return await database.$queryRaw<DepositSigns[]>`
    SELECT chain_id AS "chainId", sum(open)::int AS open, sum(stuck)::int AS stuck, sum(overdue)::int AS overdue,
      coalesce(greatest(0, extract(epoch FROM ${now}::timestamptz - min(stuck_since))), 0)::float8 AS "stuckSeconds",
      coalesce(greatest(0, extract(epoch FROM ${now}::timestamptz) - min(deposited)), 0)::float8 AS "uncollectedSeconds"
    FROM (
      SELECT chain_id, 1 AS open, 0 AS stuck, 0 AS overdue, NULL::timestamptz AS stuck_since, NULL::bigint AS deposited
      FROM deposit_address WHERE authorize_by >= ${now}
      UNION ALL
      SELECT chain_id, 0, 1, 0, stuck_since, NULL FROM deposit_address WHERE stuck_since IS NOT NULL
      UNION ALL
      SELECT chain_id, 0, 0, 1, NULL, NULL FROM deposit_address WHERE act_at < ${before}
      UNION ALL
      SELECT deposit.chain_id, 0, 0, 0, NULL, (SELECT max(fact.block_timestamp) FROM chain_fact fact
        WHERE fact.chain_id = deposit.chain_id AND fact.ref = deposit.terms_hash AND fact.kind = 'Deposited'
          AND fact.status <> 'ORPHANED')
      FROM deposit_address deposit WHERE deposit.act_at IS NOT NULL AND EXISTS (
        SELECT FROM deposit_balance balance WHERE balance.chain_id = deposit.chain_id
          AND balance.terms_hash = deposit.terms_hash AND balance.held > 0)
    ) AS address
    GROUP BY 1 ORDER BY 1`;
}

export async function readDepositsHeld(database: Database): Promise<DepositsHeld[]> {
  return await database.$queryRaw<DepositsHeld[]>`
    SELECT chain_id AS "chainId", token_key AS "tokenKey", sum(held)::text AS held FROM deposit_balance
    WHERE held > 0 GROUP BY 1, 2 ORDER BY 1, 2`;
}
