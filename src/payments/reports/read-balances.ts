/** The report `balances`: what the escrow holds for an app, from the ledger. */
import type { Database, Prisma } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { toBigInt } from '../../prices/base-units.ts';
import type { ReportRequest, Row } from './report.ts';
import { wholeTokens } from './token-amount.ts';

/** Base units. */
export type BookedBalance = {
  chainId: number;
  tokenKey: string;
  openingEscrow: bigint;
  openingUndelivered: bigint;
  received: bigint;
  returned: bigint;
  settled: bigint;
  fees: bigint;
  closingEscrow: bigint;
  closingUndelivered: bigint;
};

type Summed = Exclude<keyof BookedBalance, 'chainId' | 'tokenKey'>;

/** Reads the balances by chain and token, in one statement. */
export async function readBookedBalances(
  { database }: { database: Database },
  { scope, period: { from, to } }: ReportRequest,
): Promise<BookedBalance[]> {
  const rows = await database.$queryRaw<({ chainId: number; tokenKey: string } & Record<Summed, Prisma.Decimal>)[]>`
    SELECT line.chain_id AS "chainId", line.token_key AS "tokenKey",
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'ESCROW' AND line.created_at < ${from}), 0) AS "openingEscrow",
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'UNDELIVERED' AND line.created_at < ${from}), 0)
        AS "openingUndelivered",
      coalesce(-sum(line.amount) FILTER (WHERE line.account = 'PAYER' AND line.created_at >= ${from}
        AND line.kind ~ '^(REVERSE_)?(AUTHORIZE|TRANSFER)'), 0) AS received,
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'PAYER' AND line.created_at >= ${from}
        AND line.kind !~ '^(REVERSE_)?(AUTHORIZE|TRANSFER)'), 0) AS returned,
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'MERCHANT' AND line.created_at >= ${from}), 0) AS settled,
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'FEE' AND line.created_at >= ${from}), 0) AS fees,
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'ESCROW'), 0) AS "closingEscrow",
      coalesce(sum(line.amount) FILTER (WHERE line.account = 'UNDELIVERED'), 0) AS "closingUndelivered"
    FROM payment_intent intent JOIN ledger_entry line ON line.payment_intent_id = intent.id
    WHERE intent.app_id = ${scope.appId}::uuid AND line.created_at < ${to}
    GROUP BY 1, 2 ORDER BY 1, 2`;
  return rows.map((row) => ({
    chainId: row.chainId,
    tokenKey: row.tokenKey,
    openingEscrow: toBigInt(row.openingEscrow),
    openingUndelivered: toBigInt(row.openingUndelivered),
    received: toBigInt(row.received),
    returned: toBigInt(row.returned),
    settled: toBigInt(row.settled),
    fees: toBigInt(row.fees),
    closingEscrow: toBigInt(row.closingEscrow),
    closingUndelivered: toBigInt(row.closingUndelivered),
  }));
}

/** Yields the one page of `balances`. */
export async function* readBalances(
  world: { database: Database; registry: Registry },
  request: ReportRequest,
): AsyncGenerator<Row[]> {
  const balances = await readBookedBalances(world, request);
  yield balances.map((balance) => {
    const { chainId, tokenKey } = balance;
    const tokens = (units: bigint) => wholeTokens(world.registry, { tokenKey, units });
    const held = balance.closingEscrow + balance.closingUndelivered;
    return {
      chain_id: chainId,
      token_key: tokenKey,
      opening_held_tokens: tokens(balance.openingEscrow + balance.openingUndelivered),
      received_tokens: tokens(balance.received),
      returned_tokens: tokens(balance.returned),
      settled_tokens: tokens(balance.settled),
      fee_tokens: tokens(balance.fees),
      closing_held_tokens: tokens(held),
      closing_undelivered_tokens: tokens(balance.closingUndelivered),
      closing_held_base_units: String(held),
    };
  });
}
