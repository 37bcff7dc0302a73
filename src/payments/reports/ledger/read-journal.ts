/** Reads the journal of an app: opening balances, the bookings of the period, gas, and the closing balances as assertions. */
import { type Database, Prisma } from '../../../../prisma/client.ts';
import type { Registry } from '../../../chains/registry.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { readEvidence } from '../../../prices/price-evidence.ts';
import { readBookedBalances } from '../read-balances.ts';
import { type ReportedEntry, readEntries } from '../read-entries.ts';
import { blockTime } from '../read-payouts.ts';
import { REPORT_PAGE, type ReportRequest } from '../report.ts';
import {
  type Assertion,
  commodityOf,
  dayFrom,
  dayOf,
  gasAccounts,
  type JournalEntry,
  OPENING_ACCOUNT,
  type Posting,
  type PostingPrice,
  printQuantity,
  tokenAccount,
  tokenQuantity,
} from './journal.ts';

type World = { database: Database; registry: Registry };
export type JournalPart = { entries: readonly JournalEntry[]; assertions: readonly Assertion[] };

const PRICE_DIGITS = 16;

/** Yields parts of bounded length. Entries of one booking are never divided. */
export async function* readJournal(world: World, request: ReportRequest): AsyncGenerator<JournalPart> {
  const { from, to } = request.period;
  const balances = await readBookedBalances(world, request);
  const held = (['ESCROW', 'UNDELIVERED'] as const).flatMap((account) =>
    balances.map(({ chainId, tokenKey, ...sums }) => {
      const isEscrow = account === 'ESCROW';
      const quantity = (units: bigint) => tokenQuantity(world.registry, tokenKey, units);
      return {
        account: tokenAccount(account, { chainId, tokenKey }),
        opening: quantity(isEscrow ? sums.openingEscrow : sums.openingUndelivered),
        closing: quantity(isEscrow ? sums.closingEscrow : sums.closingUndelivered),
      };
    }),
  );
  const opening = held.filter((one) => one.opening.units !== 0n);
  yield { entries: opening.map((one) => openingEntry(dayOf(from), one)), assertions: [] };
  for await (const entries of bookings(world, request)) yield { entries, assertions: [] };
  for await (const entries of gasEntries(world, request)) yield { entries, assertions: [] };
  const date = dayFrom(to);
  yield { entries: [], assertions: held.map(({ account, closing }) => ({ date, account, quantity: closing })) };
}

function openingEntry(date: string, { account, opening }: { account: string; opening: Posting['quantity'] }) {
  const against = { ...opening, units: -opening.units };
  return {
    date,
    description: 'OPENING BALANCE',
    tags: [],
    postings: [
      { account, quantity: opening, price: null },
      { account: OPENING_ACCOUNT, quantity: against, price: null },
    ],
  };
}

/** Keeps the entries of the last instant of a page back, because the next page can have more of them. */
async function* bookings(world: World, request: ReportRequest): AsyncGenerator<JournalEntry[]> {
  let kept: ReportedEntry[] = [];
  for await (const page of readEntries(world, request)) {
    const entries = [...kept, ...page];
    const last = page.at(-1)?.bookedAt.getTime();
    kept = entries.filter(({ bookedAt }) => bookedAt.getTime() === last);
    yield journalEntries(world, entries.slice(0, entries.length - kept.length));
  }
  yield journalEntries(world, kept);
}

function journalEntries({ registry }: World, entries: readonly ReportedEntry[]): JournalEntry[] {
  const booked = Map.groupBy(entries, (entry) =>
    [entry.bookedAt.getTime(), entry.chainId, entry.blockHash, entry.logIndex, entry.termsHash].join(' '),
  );
  return [...booked.values()].flatMap((lines) => {
    const [first] = lines;
    if (!first) return [];
    const kinds = [...new Set(lines.map(({ kind }) => kind))];
    const price = priceOf(registry, first);
    const tags: [string, string][] = [
      ['payment', first.paymentIntentId],
      ['tx', first.txHash],
      ['log', String(first.logIndex)],
      ['terms', first.termsHash],
      ['booked', first.bookedAt.toISOString()],
    ];
    const block = blockTime(first);
    if (block !== null) tags.push(['block-time', block]);
    if (kinds.some((kind) => kind.startsWith('REVERSE_'))) tags.push(['reversal', 'yes']);
    if (price) tags.push(['price-source', priceSource(first.evidence)]);
    return {
      date: dayOf(first.bookedAt),
      description: kinds.join(' '),
      tags,
      postings: lines.map((line) => ({
        account: tokenAccount(line.account, line),
        quantity: tokenQuantity(registry, line.tokenKey, toBigInt(line.amount)),
        price,
      })),
    };
  });
}

/** The fiat amount for one whole token, as the payer accepted it. */
function priceOf(registry: Registry, entry: ReportedEntry): PostingPrice | null {
  if (entry.quotedUnits === null) return null;
  const { units, decimals } = tokenQuantity(registry, entry.tokenKey, BigInt(entry.quotedUnits));
  if (units === 0n) return null;
  const quoted = new Prisma.Decimal(printQuantity({ units, decimals }));
  const amount = entry.fiatAmount.dividedBy(quoted).toSignificantDigits(PRICE_DIGITS).toFixed();
  return { of: 'UNIT', amount, currency: entry.currency };
}

/** The prices that the quote was computed from, and which sources reported them. */
function priceSource(evidence: unknown): string {
  const prices = readEvidence(evidence ?? []).map(({ asset, priceUsd, sources }) => {
    const named = sources.map(({ source, priceUsd: reported, at }) => `${source} ${reported} at ${at}`);
    return `${asset} ${priceUsd} USD (${named.join('; ') || 'no source recorded'})`;
  });
  return `quote${prices.length > 0 ? `; ${prices.join('; ')}` : ''}`.replaceAll(/[,\r\n"\\[\]]/g, ' ');
}

type GasRow = {
  id: string;
  paymentIntentId: string;
  chainId: number;
  type: string;
  status: string;
  txHash: string | null;
  createdAt: Date;
  wei: Prisma.Decimal;
  usd: Prisma.Decimal | null;
};

async function* gasEntries({ database, registry }: World, request: ReportRequest): AsyncGenerator<JournalEntry[]> {
  const { scope, period } = request;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page: GasRow[] = await database.$queryRaw<GasRow[]>`
      SELECT step.id::text, step.payment_intent_id::text AS "paymentIntentId", step.chain_id AS "chainId",
        step.type::text, step.status::text, step.tx_hash AS "txHash", step.created_at AS "createdAt",
        step.gas_cost_wei AS wei, step.gas_cost_usd AS usd
      FROM transaction step JOIN payment_intent intent ON intent.id = step.payment_intent_id
      WHERE intent.app_id = ${scope.appId}::uuid AND step.gas_cost_wei > 0
        AND step.created_at >= ${period.from} AND step.created_at < ${period.to} AND step.id > ${after}::uuid
      ORDER BY step.id LIMIT ${REPORT_PAGE}`;
    yield page.map((row) => gasEntry(registry, row));
    after = page.at(-1)?.id ?? after;
    if (page.length < REPORT_PAGE) return;
  }
}

function gasEntry(registry: Registry, row: GasRow): JournalEntry {
  const { chainId, wei, usd } = row;
  const native = registry.chain(chainId)?.native;
  const coin = native ? `${native.symbol}-${chainId}` : `COIN-${chainId}`;
  const quantity = { units: toBigInt(wei), decimals: native?.decimals ?? 0, commodity: commodityOf(coin) };
  const price: PostingPrice | null = usd && { of: 'WHOLE', amount: usd.toFixed(), currency: 'USD' };
  const { expense, paidFrom } = gasAccounts({ chainId, coin: native?.symbol ?? 'COIN' });
  const tags: [string, string][] = [
    ['payment', row.paymentIntentId],
    ['transaction', row.id],
    ['status', row.status],
  ];
  if (row.txHash) tags.push(['tx', row.txHash]);
  tags.push(['price-source', usd ? 'price when the block was confirmed' : 'none']);
  return {
    date: dayOf(row.createdAt),
    description: `GAS ${row.type}`,
    tags,
    postings: [
      { account: expense, quantity, price },
      { account: paidFrom, quantity: { ...quantity, units: -quantity.units }, price },
    ],
  };
}
