import { type Database, Prisma } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';

/** What the installation's keys paid for the gas of payments. */
export type OverviewGas = {
  costUsd: Prisma.Decimal;
  /** Transactions whose cost is known. */
  transactionCount: number;
  /** Those of them that are not in the sum, because the coin had no price. */
  unpricedCount: number;
};

/** The gas of payment intents created in [from, to) in the scope, in one statement. */
export async function readOverviewGas(
  database: Database,
  request: { scope: Scope; from: Date; to: Date },
): Promise<OverviewGas> {
  const { scope, from, to } = request;
  const apps =
    scope.appId === null
      ? Prisma.sql`intent.app_id IN (SELECT id FROM app WHERE merchant_id = ${scope.merchantId}::uuid)`
      : Prisma.sql`intent.app_id = ${scope.appId}::uuid`;
  const [row] = await database.$queryRaw<
    { costUsd: Prisma.Decimal; transactionCount: bigint; unpricedCount: bigint }[]
  >`
    SELECT coalesce(sum(step.gas_cost_usd), 0) AS "costUsd", count(*) AS "transactionCount",
      count(*) FILTER (WHERE step.gas_cost_usd IS NULL) AS "unpricedCount"
    FROM payment_intent intent JOIN transaction step ON step.payment_intent_id = intent.id
    WHERE ${apps} AND intent.created_at >= ${from} AND intent.created_at < ${to} AND step.gas_cost_wei IS NOT NULL`;
  return {
    costUsd: row?.costUsd ?? new Prisma.Decimal(0),
    transactionCount: Number(row?.transactionCount ?? 0n),
    unpricedCount: Number(row?.unpricedCount ?? 0n),
  };
}
