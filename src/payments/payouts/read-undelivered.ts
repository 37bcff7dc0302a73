import { type Database, type PayoutRole, Prisma } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { toBigInt } from '../../prices/base-units.ts';

/** The payouts of one recipient in one token that are undelivered at this moment. */
export type UndeliveredSum = {
  role: PayoutRole;
  recipient: string;
  token: string;
  chainId: number;
  tokenKey: string;
  /** On Solana the account that keeps them; null where the escrow does. */
  keptAt: string | null;
  payments: number;
  /** Base units. */
  amount: bigint;
  /** Block time of the oldest payout. */
  since: Date;
  /** The payment of the oldest payout. */
  paymentIntentId: string;
  /** When their delivery is attempted next. */
  nextTryAt: Date;
  /** When the newest payout was seen. */
  newestAt: Date;
};

const LIMIT = 100;

/** The undelivered payouts of all payments in the scope, of any age: oldest first, at most 100 recipients. */
export async function readUndelivered(database: Database, { scope }: { scope: Scope }): Promise<UndeliveredSum[]> {
  const apps =
    scope.appId === null
      ? Prisma.sql`intent.app_id IN (SELECT id FROM app WHERE merchant_id = ${scope.merchantId}::uuid)`
      : Prisma.sql`intent.app_id = ${scope.appId}::uuid`;
  const rows = await database.$queryRaw<(Omit<UndeliveredSum, 'amount'> & { amount: Prisma.Decimal })[]>`
    SELECT payout.role::text AS role, payout.recipient, payout.token, payout.chain_id AS "chainId",
      payout.token_key AS "tokenKey", max(payout.kept_at) AS "keptAt", count(DISTINCT payout.payment_intent_id)::int AS payments,
      sum(payout.amount) AS amount, min(payout.credited_at) AS since,
      (array_agg(payout.payment_intent_id::text ORDER BY payout.credited_at, payout.id))[1] AS "paymentIntentId",
      min(payout.next_try_at) AS "nextTryAt", max(payout.created_at) AS "newestAt"
    FROM credited_payout payout JOIN payment_intent intent ON intent.id = payout.payment_intent_id
    WHERE payout.delivered_at IS NULL AND ${apps}
    GROUP BY 1, 2, 3, 4, 5 ORDER BY since, recipient, token LIMIT ${LIMIT}`;
  return rows.map((row) => ({ ...row, amount: toBigInt(row.amount) }));
}
