/**
 * The report `facilitated`: x402 payments to other servers, and the fees that are billed for them, by month, receiver, chain and token. They
 * have no payment intent and are in no ledger, so their rows are the authority. A payment belongs to the month in which it was accepted,
 * which never changes. Its outcome follows within a day and the time that the chain takes to confirm it.
 */
import { type Database, Prisma } from '../../../prisma/client.ts';
import { readEvmAddress } from '../../chains/evm/evm-address.ts';
import type { Registry } from '../../chains/registry.ts';
import { toBigInt } from '../../prices/base-units.ts';
import type { Period, ReportRequest, Row } from './report.ts';
import { wholeCoins, wholeTokens } from './token-amount.ts';

/** Amounts, values and fees are those of settled payments. Gas is that of all payments. */
export type FacilitatedSums = {
  settledCount: number;
  failedCount: number;
  pendingCount: number;
  valueUsd: Prisma.Decimal;
  feeUsd: Prisma.Decimal;
  gasUsd: Prisma.Decimal;
  /** Number of transfers whose cost is not in `gasUsd`, because the coin had no price. */
  gasUnpricedCount: number;
};

/** The fee of each payment is valued at the payment's price and rounded to 18 decimals. The sums are exact. */
const sums = Prisma.sql`
  count(*) FILTER (WHERE exact.status = 'SETTLED')::int AS "settledCount",
  count(*) FILTER (WHERE exact.status = 'FAILED')::int AS "failedCount",
  count(*) FILTER (WHERE exact.status = 'PENDING')::int AS "pendingCount",
  coalesce(sum(exact.value_usd) FILTER (WHERE exact.status = 'SETTLED'), 0) AS "valueUsd",
  coalesce(sum(round(exact.value_usd * exact.fee_amount / nullif(exact.amount, 0), 18)) FILTER (WHERE exact.status = 'SETTLED'), 0) AS "feeUsd",
  coalesce(sum(gas.usd), 0) AS "gasUsd",
  coalesce(sum(gas.unpriced), 0)::int AS "gasUnpricedCount"`;

const payments = Prisma.sql`exact_authorization exact CROSS JOIN LATERAL (
  SELECT sum(gas_cost_wei) AS wei, sum(gas_cost_usd) AS usd, count(*) - count(gas_cost_usd) AS unpriced
  FROM exact_gas_cost WHERE authorization_id = exact.id) gas`;

type Group = FacilitatedSums & {
  payTo: string;
  chainId: number;
  tokenKey: string;
  amount: Prisma.Decimal;
  feeAmount: Prisma.Decimal;
  gasWei: Prisma.Decimal;
};

/** Yields pages of `facilitated`, one for each month that has payments. */
export async function* readFacilitated(
  { database, registry }: { database: Database; registry: Registry },
  { scope, period }: ReportRequest,
): AsyncGenerator<Row[]> {
  for (const { month, from, to } of monthsOf(period)) {
    const groups = await database.$queryRaw<Group[]>`
      SELECT exact.pay_to AS "payTo", exact.chain_id AS "chainId", exact.token_key AS "tokenKey", ${sums},
        coalesce(sum(exact.amount) FILTER (WHERE exact.status = 'SETTLED'), 0) AS amount,
        coalesce(sum(exact.fee_amount) FILTER (WHERE exact.status = 'SETTLED'), 0) AS "feeAmount",
        coalesce(sum(gas.wei), 0) AS "gasWei"
      FROM ${payments}
      WHERE exact.app_id = ${scope.appId}::uuid AND exact.payment_intent_id IS NULL
        AND exact.created_at >= ${from} AND exact.created_at < ${to}
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
    if (groups.length > 0) yield groups.map((group) => rowOf(registry, { month, group }));
  }
}

export type AppFees = FacilitatedSums & { appId: string; app: string; merchant: string };

/** Sums the payments to other servers by app, for the operator who bills their fees. `appId` is null for all apps. */
export async function sumFacilitated(
  { database }: { database: Database },
  { appId, period: { from, to } }: { appId: string | null; period: Period },
): Promise<AppFees[]> {
  const wanted = appId === null ? Prisma.empty : Prisma.sql`AND exact.app_id = ${appId}::uuid`;
  return await database.$queryRaw<AppFees[]>`
    SELECT app.id::text AS "appId", app.name AS app, merchant.name AS merchant, ${sums}
    FROM ${payments} JOIN app ON app.id = exact.app_id JOIN merchant ON merchant.id = app.merchant_id
    WHERE exact.payment_intent_id IS NULL AND exact.created_at >= ${from} AND exact.created_at < ${to} ${wanted}
    GROUP BY app.id, merchant.id ORDER BY merchant.name, app.name, app.id`;
}

function rowOf(registry: Registry, { month, group }: { month: string; group: Group }): Row {
  const { chainId, tokenKey } = group;
  const [amount, fee] = [toBigInt(group.amount), toBigInt(group.feeAmount)];
  return {
    month,
    pay_to_address: readEvmAddress(group.payTo),
    chain_id: chainId,
    token_key: tokenKey,
    settled_count: group.settledCount,
    failed_count: group.failedCount,
    pending_count: group.pendingCount,
    amount_tokens: wholeTokens(registry, { tokenKey, units: amount }),
    amount_base_units: String(amount),
    value_usd: group.valueUsd.toFixed(),
    fee_tokens: wholeTokens(registry, { tokenKey, units: fee }),
    fee_base_units: String(fee),
    fee_usd: group.feeUsd.toFixed(),
    gas_coin: registry.chain(chainId)?.native.symbol ?? null,
    gas_cost_coin: wholeCoins(registry, { chainId, units: toBigInt(group.gasWei) }),
    gas_cost_usd: group.gasUsd.toFixed(),
    gas_unpriced_count: group.gasUnpricedCount,
  };
}

/** Splits a period at the beginnings of months in UTC. */
export function monthsOf({ from, to }: Period): (Period & { month: string })[] {
  const months: (Period & { month: string })[] = [];
  let start = from;
  while (start < to) {
    const next = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
    months.push({ month: start.toISOString().slice(0, 7), from: start, to: next < to ? next : to });
    start = next;
  }
  return months;
}
