/**
 * The report `reconciliation`: every transfer from the escrow to a payout address of the app, as the chain reports it, by day, with the sum
 * of each day, and every difference between the ledger and the chain. The day is that of the block in UTC.
 */
import type { Database } from '../../../../prisma/client.ts';
import type { Registry } from '../../../chains/registry.ts';
import { printAddress } from '../../payouts/payout-fields.ts';
import type { ReportRequest, Row } from '../report.ts';
import { wholeTokens } from '../token-amount.ts';
import { type Difference, differencesAt, readBookedAlone } from './compare-books.ts';
import { type ChainDay, type PayoutFact, readChainDays, readPayoutFacts } from './read-payout-facts.ts';
import { readReceived } from './read-received.ts';

type World = { database: Database; registry: Registry };
/** What an address received in a token on a chain, in base units. */
type Account = { tokenKey: string; address: string; opening: bigint; count: number; sum: bigint };

const MS = 1000;
const DAY_LENGTH = 10;

/** Yields pages of bounded length. */
export async function* readReconciliation(world: World, request: ReportRequest): AsyncGenerator<Row[]> {
  const { scope, period } = request;
  const appId = scope.appId;
  const span = { from: secondsOf(period.from), to: secondsOf(period.to) };
  const totals = new Map<string, bigint>();
  for (const one of await readReceived(world, { appId, before: span.from })) totals.set(keyOf(one), one.amount);
  for (const day of await readChainDays(world, span)) yield* readDay(world, { appId, day, totals });
  for await (const differences of readBookedAlone(world, request)) {
    yield differences.map((one) => differenceRow(world, { day: isoDay(one.bookedAt), fact: null, difference: one }));
  }
}

/** Transfers in the order of the chain, with differences where they are found, and then one row per address and token. */
async function* readDay(
  world: World,
  { appId, day, totals }: { appId: string; day: ChainDay; totals: Map<string, bigint> },
): AsyncGenerator<Row[]> {
  const date = isoDay(dateOf(day.from));
  const accounts = new Map<string, Account>();
  for await (const facts of readPayoutFacts(world, { appId, day })) {
    const found = Map.groupBy(await differencesAt(world, { appId, facts }), ({ fact }) => fact);
    yield facts.flatMap((fact) => {
      const transfer = transferOf(fact);
      if (transfer) add({ accounts, totals }, { chainId: day.chainId, ...transfer });
      return [
        ...(transfer ? [transferRow(world, { day: date, fact, ...transfer })] : []),
        ...(found.get(fact) ?? []).map(({ difference }) => differenceRow(world, { day: date, fact, difference })),
      ];
    });
  }
  yield [...accounts.values()]
    .toSorted((left, right) => compare(left.tokenKey, right.tokenKey) || compare(left.address, right.address))
    .map((account) => dayRow(world, { day: date, chainId: day.chainId, account }));
}

function transferOf({ paid, shares }: PayoutFact): { tokenKey: string; address: string; amount: bigint } | null {
  const [first] = shares;
  if (paid === null || !first) return null;
  return { tokenKey: first.tokenKey, address: paid, amount: shares.reduce((sum, { amount }) => sum + amount, 0n) };
}

function add(
  { accounts, totals }: { accounts: Map<string, Account>; totals: Map<string, bigint> },
  { chainId, tokenKey, address, amount }: { chainId: number; tokenKey: string; address: string; amount: bigint },
): void {
  const key = keyOf({ chainId, tokenKey, address });
  const total = totals.get(key) ?? 0n;
  const account = accounts.get(key) ?? { tokenKey, address, opening: total, count: 0, sum: 0n };
  account.count += 1;
  account.sum += amount;
  accounts.set(key, account);
  totals.set(key, total + amount);
}

function transferRow(
  { registry }: World,
  {
    day,
    fact,
    tokenKey,
    address,
    amount,
  }: { day: string; fact: PayoutFact; tokenKey: string; address: string; amount: bigint },
): Row {
  return {
    row: 'TRANSFER',
    day,
    chain_id: fact.chainId,
    token_key: tokenKey,
    payout_address: printAddress(address),
    type: fact.type,
    payment_intent_ids: [...new Set(fact.shares.map(({ paymentIntentId }) => paymentIntentId))].join(' '),
    block_number: Number(fact.blockNumber),
    block_time: dateOf(fact.blockTimestamp).toISOString(),
    tx_hash: fact.txHash,
    log_index: fact.logIndex,
    amount_tokens: wholeTokens(registry, { tokenKey, units: amount }),
    amount_base_units: String(amount),
    logged_base_units: String(fact.logged),
  };
}

function dayRow(
  { registry }: World,
  { day, chainId, account }: { day: string; chainId: number; account: Account },
): Row {
  const { tokenKey, address, opening, count, sum } = account;
  const tokens = (units: bigint) => wholeTokens(registry, { tokenKey, units });
  return {
    row: 'DAY',
    day,
    chain_id: chainId,
    token_key: tokenKey,
    payout_address: printAddress(address),
    amount_tokens: tokens(sum),
    amount_base_units: String(sum),
    transfer_count: count,
    opening_tokens: tokens(opening),
    opening_base_units: String(opening),
    closing_tokens: tokens(opening + sum),
    closing_base_units: String(opening + sum),
  };
}

function differenceRow(
  { registry }: World,
  { day, fact, difference }: { day: string; fact: PayoutFact | null; difference: Difference },
): Row {
  const { tokenKey, onChain, booked } = difference;
  return {
    row: 'DIFFERENCE',
    day,
    chain_id: difference.chainId,
    token_key: tokenKey,
    payout_address: fact?.paid ? printAddress(fact.paid) : null,
    type: difference.type,
    payment_intent_ids: difference.paymentIntentId,
    block_number: fact ? Number(fact.blockNumber) : null,
    block_time: fact ? dateOf(fact.blockTimestamp).toISOString() : null,
    tx_hash: difference.txHash,
    log_index: difference.logIndex,
    amount_tokens: onChain === null ? null : wholeTokens(registry, { tokenKey, units: onChain }),
    amount_base_units: onChain === null ? null : String(onChain),
    booked_base_units: booked === null ? null : String(booked),
    difference: onChain === null ? 'NOT_ON_CHAIN' : booked === null ? 'NOT_BOOKED' : 'AMOUNT',
  };
}

function keyOf({ chainId, tokenKey, address }: { chainId: number; tokenKey: string; address: string }): string {
  return `${chainId} ${tokenKey} ${address}`;
}

function secondsOf(instant: Date): bigint {
  return BigInt(Math.ceil(instant.getTime() / MS));
}

function dateOf(seconds: bigint): Date {
  return new Date(Number(seconds) * MS);
}

function isoDay(instant: Date): string {
  return instant.toISOString().slice(0, DAY_LENGTH);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
