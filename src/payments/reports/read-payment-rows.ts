/** The reports `payments` and `fees`: payment intents that were created in the period, oldest first. */
import { Prisma } from '../../../prisma/client.ts';
import type { ScopedDatabase } from '../../auth/scoped-database.ts';
import type { Registry } from '../../chains/registry.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { printPrice } from '../../prices/money.ts';
import { isReceipt } from '../ledger.ts';
import { REPORT_PAGE, type ReportRequest, type Row } from './report.ts';
import { wholeCoins, wholeTokens } from './token-amount.ts';

type World = { database: ScopedDatabase; registry: Registry };

const parts = {
  ledger: { select: { account: true, amount: true, kind: true, chainId: true, termsHash: true, tokenKey: true } },
  transactions: {
    select: { type: true, status: true, txHash: true, chainId: true, gasCostWei: true, gasCostUsd: true },
    orderBy: { id: 'asc' },
  },
} as const satisfies Prisma.PaymentIntentInclude;

type Intent = Prisma.PaymentIntentGetPayload<{ include: typeof parts }>;
type Gas = { units: bigint; usd: Prisma.Decimal; unpriced: number };

/** Yields pages of `payments`: one row per payment intent. */
export async function* readPayments(world: World, request: ReportRequest): AsyncGenerator<Row[]> {
  for await (const page of intentPages(world, request)) yield page.map((intent) => paymentRow(world, intent));
}

/** Yields pages of `fees`: one row per payment intent and chain on which it had a fee or gas. */
export async function* readFees(world: World, request: ReportRequest): AsyncGenerator<Row[]> {
  for await (const page of intentPages(world, request)) yield page.flatMap((intent) => feeRows(world, intent));
}

async function* intentPages({ database }: World, { scope, period }: ReportRequest): AsyncGenerator<Intent[]> {
  let after: string | undefined;
  for (;;) {
    const page: Intent[] = await database.paymentIntent.findMany({
      where: {
        appId: scope.appId,
        createdAt: { gte: period.from, lt: period.to },
        ...(after === undefined ? {} : { id: { gt: after } }),
      },
      include: parts,
      orderBy: { id: 'asc' },
      take: REPORT_PAGE,
    });
    if (page.length > 0) yield page;
    after = page.at(-1)?.id;
    if (page.length < REPORT_PAGE) return;
  }
}

function paymentRow({ registry }: World, intent: Intent): Row {
  const tokenKey = intent.cryptoTokenKey;
  const lines = acceptedLines(intent);
  const tokens = (units: bigint) => (tokenKey === null ? null : wholeTokens(registry, { tokenKey, units }));
  const sum = (wanted: (line: Intent['ledger'][number]) => boolean) =>
    tokens(lines.filter(wanted).reduce((total, { amount }) => total + toBigInt(amount), 0n));
  const gas = gasOf(intent.transactions);
  const confirmed = intent.transactions.filter(({ status }) => status === 'CONFIRMED');
  const ends = confirmed.filter(({ type }) => type === 'SETTLE' || type === 'RESOLVE');
  return {
    payment_intent_id: intent.id,
    external_id: intent.externalId,
    status: intent.status,
    created_at: intent.createdAt.toISOString(),
    currency: intent.currency,
    amount_fiat: printPrice(intent.amount),
    chain_id: intent.authorizationChainId,
    token_key: tokenKey,
    exchange_rate_tokens_per_usd: intent.exchangeRate?.toFixed() ?? null,
    crypto_amount_tokens: intent.cryptoAmount && tokens(toBigInt(intent.cryptoAmount)),
    crypto_amount_base_units: intent.cryptoAmount?.toFixed() ?? null,
    held_tokens: sum(({ account }) => account === 'ESCROW'),
    returned_tokens: sum(({ account, kind }) => account === 'PAYER' && !isReceipt(kind)),
    settled_tokens: sum(({ account }) => account === 'MERCHANT'),
    fee_tokens: sum(({ account }) => account === 'FEE'),
    undelivered_tokens: sum(({ account }) => account === 'UNDELIVERED'),
    gas_cost_usd: gas.usd.toFixed(),
    gas_unpriced_count: gas.unpriced,
    authorization_tx_hash: intent.authorizationTxHash,
    capture_tx_hash: intent.captureTxHash,
    refund_tx_hashes: confirmed.flatMap(({ type, txHash }) => (type === 'REFUND' && txHash ? [txHash] : [])).join(' '),
    settlement_tx_hash: ends.at(-1)?.txHash ?? null,
    authorized_at: intent.authorizedAt?.toISOString() ?? null,
    captured_at: intent.capturedAt?.toISOString() ?? null,
    refunded_at: intent.refundedAt?.toISOString() ?? null,
    settled_at: intent.settledAt?.toISOString() ?? null,
  };
}

const FIAT_DIGITS = 8;

function feeRows({ registry }: World, intent: Intent): Row[] {
  const { cryptoAmount, cryptoTokenKey: tokenKey, authorizationChainId } = intent;
  const fee = acceptedLines(intent)
    .filter(({ account }) => account === 'FEE')
    .reduce((total, { amount }) => total + toBigInt(amount), 0n);
  const ofChains = Map.groupBy(
    intent.transactions.filter(({ gasCostWei }) => gasCostWei !== null),
    ({ chainId }) => chainId,
  );
  const chains = new Set([...(fee === 0n ? [] : [authorizationChainId]), ...ofChains.keys()]);
  return [...chains].flatMap((chainId) => {
    if (chainId === null) return [];
    const gas = gasOf(ofChains.get(chainId) ?? []);
    const hasFee = chainId === authorizationChainId && tokenKey !== null;
    const value =
      hasFee && cryptoAmount && !cryptoAmount.isZero()
        ? intent.amount.times(fee.toString()).dividedBy(cryptoAmount).toFixed(FIAT_DIGITS)
        : null;
    return {
      payment_intent_id: intent.id,
      created_at: intent.createdAt.toISOString(),
      chain_id: chainId,
      token_key: hasFee ? tokenKey : null,
      platform_fee_bps: intent.platformFeeBps,
      fee_tokens: hasFee ? wholeTokens(registry, { tokenKey, units: fee }) : null,
      fee_base_units: hasFee ? String(fee) : null,
      currency: intent.currency,
      fee_fiat: value,
      gas_coin: registry.chain(chainId)?.native.symbol ?? null,
      gas_cost_coin: wholeCoins(registry, { chainId, units: gas.units }),
      gas_cost_usd: gas.usd.toFixed(),
      gas_unpriced_count: gas.unpriced,
    };
  });
}

/** The entries of the authorization that counts. Others are returned, and can be in another token. */
function acceptedLines(intent: Intent): Intent['ledger'] {
  return intent.ledger.filter(
    ({ chainId, termsHash }) => chainId === intent.authorizationChainId && termsHash === intent.acceptedTermsHash,
  );
}

function gasOf(transactions: Intent['transactions']): Gas {
  const none: Gas = { units: 0n, usd: new Prisma.Decimal(0), unpriced: 0 };
  return transactions.reduce(
    (gas, { gasCostWei, gasCostUsd }) =>
      gasCostWei === null
        ? gas
        : {
            units: gas.units + toBigInt(gasCostWei),
            usd: gas.usd.plus(gasCostUsd ?? 0),
            unpriced: gas.unpriced + (gasCostUsd === null ? 1 : 0),
          },
    none,
  );
}
