import { type Database, Prisma } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { toBigInt } from '../../prices/base-units.ts';

/** Base units of one token, and their value in the payments' currency at the payments' own prices. */
export type BookedSum = { units: bigint; value: Prisma.Decimal };

/**
 * What became of the money of payments in one token and currency. `received` equals the sum of the other parts, in units and to
 * the cent, or to the smallest decimal of any price where paid API calls cost less than a cent.
 */
export type OverviewBooks = {
  tokenKey: string;
  chainId: number;
  currency: string;
  received: BookedSum;
  /** Held in escrow. */
  held: BookedSum;
  /** Paid out to the merchant. */
  settled: BookedSum;
  /** Returned to the payer: refunds, the uncaptured rest of captures, and voided or reclaimed holds. */
  returned: BookedSum;
  fees: BookedSum;
  /** Held in the escrow for recipients that it could not pay. */
  undelivered: BookedSum;
};

const CENTS = 2;
/** The decimals of a value before it is rounded. */
const FINE = 8;

const parts = ['received', 'held', 'settled', 'returned', 'fees', 'undelivered'] as const;
type Row = { tokenKey: string; chainId: number; currency: string; digits: number } & Record<
  `${(typeof parts)[number]}${'Units' | 'Value'}`,
  Prisma.Decimal
>;

/**
 * The ledger totals of payment intents created in [from, to) in the scope, in one statement. Entries reversed by a reorganization cancel
 * out.
 */
export async function readOverviewBooks(
  database: Database,
  request: { scope: Scope; from: Date; to: Date },
): Promise<OverviewBooks[]> {
  const { scope, from, to } = request;
  const apps =
    scope.appId === null
      ? Prisma.sql`intent.app_id IN (SELECT id FROM app WHERE merchant_id = ${scope.merchantId}::uuid)`
      : Prisma.sql`intent.app_id = ${scope.appId}::uuid`;
  const value = (units: Prisma.Sql) =>
    Prisma.sql`coalesce(round(sum(${units} * intent.amount / nullif(intent.crypto_amount, 0)), ${FINE}), 0)`;
  const isGiven = Prisma.sql`(line.account = 'PAYER' AND line.kind ~ '^(REVERSE_)?(AUTHORIZE|TRANSFER)')`;
  const isReturned = Prisma.sql`(line.account = 'PAYER' AND line.kind !~ '^(REVERSE_)?(AUTHORIZE|TRANSFER)')`;
  const rows = await database.$queryRaw<Row[]>`
    SELECT line.token_key AS "tokenKey", line.chain_id AS "chainId", intent.currency,
      max(scale(trim_scale(intent.amount))) AS digits,
      coalesce(-sum(line.amount) FILTER (WHERE ${isGiven}), 0) AS "receivedUnits",
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'ESCROW'), 0) AS "heldUnits",
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'MERCHANT'), 0) AS "settledUnits",
      coalesce(sum(line.amount) FILTER (WHERE ${isReturned}), 0) AS "returnedUnits",
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'FEE'), 0) AS "feesUnits",
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'UNDELIVERED'), 0) AS "undeliveredUnits",
      ${value(Prisma.sql`CASE WHEN ${isGiven} THEN -line.amount END`)} AS "receivedValue",
      ${value(Prisma.sql`CASE WHEN line.account = 'ESCROW' THEN line.amount END`)} AS "heldValue",
      ${value(Prisma.sql`CASE WHEN line.account = 'MERCHANT' THEN line.amount END`)} AS "settledValue",
      ${value(Prisma.sql`CASE WHEN ${isReturned} THEN line.amount END`)} AS "returnedValue",
      ${value(Prisma.sql`CASE WHEN line.account = 'FEE' THEN line.amount END`)} AS "feesValue",
      ${value(Prisma.sql`CASE WHEN line.account = 'UNDELIVERED' THEN line.amount END`)} AS "undeliveredValue"
    FROM payment_intent intent JOIN ledger_entry line ON line.payment_intent_id = intent.id
    WHERE ${apps} AND intent.created_at >= ${from} AND intent.created_at < ${to}
    GROUP BY 1, 2, 3 ORDER BY 2, 1, 3`;
  return rows.map((row) => {
    const sum = (part: (typeof parts)[number]): BookedSum => ({
      units: toBigInt(row[`${part}Units`]),
      value: row[`${part}Value`],
    });
    const { tokenKey, chainId, currency } = row;
    const digits = Math.max(CENTS, row.digits);
    const received = sum('received');
    const roundedTotal = { ...received, value: received.value.toDecimalPlaces(digits) };
    const paidOut = { settled: sum('settled'), returned: sum('returned'), fees: sum('fees') };
    const spent = { held: sum('held'), ...paidOut, undelivered: sum('undelivered') };
    splitRounded(roundedTotal, Object.values(spent), digits);
    return { tokenKey, chainId, currency, received: roundedTotal, ...spent };
  });
}

/**
 * Rounds the parts down and gives the remaining cents, or smaller parts, to those that lost most by rounding, so that the parts sum to the whole.
 */
function splitRounded(total: BookedSum, parts: BookedSum[], digits: number): void {
  const least = new Prisma.Decimal(10).pow(-digits);
  const cut = parts.map((part) => {
    const value = part.value.toDecimalPlaces(digits, Prisma.Decimal.ROUND_FLOOR);
    return { part, value, lost: part.value.minus(value) };
  });
  let remainder = cut.reduce((rest, { value }) => rest.minus(value), total.value);
  for (const { part, value } of cut.sort((one, other) => other.lost.comparedTo(one.lost))) {
    const added = remainder.gt(0) ? least : 0;
    part.value = value.plus(added);
    remainder = remainder.minus(added);
  }
}
