import { Decimal } from 'decimal.js';
import type { DatabaseTransaction, PaymentIntent, Prisma, Quote } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { termsFromJson } from '../escrow/terms.ts';
import { TRANSFER_GRACE_SECONDS } from '../payments/deposits/deposit.ts';
import { openDepositAddress } from '../payments/deposits/open-deposit-address.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import { toDecimal } from '../prices/base-units.ts';
import { currencyOf } from '../prices/money.ts';
import { priceEvidence } from '../prices/price-evidence.ts';
import { quoteAmount } from '../prices/quote.ts';
import type { CheckoutWorld } from './checkout-world.ts';
import { planEvmPayment } from './evm/plan-evm-payment.ts';
import { requireRefundAddress } from './evm/require-refund-address.ts';
import { payoutOn } from './list-checkout-options.ts';
import { recordedMethod, relayedAmount } from './payment-method.ts';
import type { PaymentStep } from './payment-step.ts';
import type { PaymentToPlan, PlannedQuote } from './planned-quote.ts';
import { AUTHORIZE_GRACE_SECONDS } from './quoted-terms.ts';
import { requirePayable, requireUnpaid } from './require-payable.ts';
import { lockPaymentIntent, relayUnderWay, requireSameSettings, requireSession, type SessionToPay } from './store.ts';
import {
  type KnownWay,
  requireKnownWay,
  requireOfferedMethod,
  requireOfferedWay,
  type WayToPay,
} from './way-to-pay.ts';

/** The fields of a quote that the payer sees. */
export type PublicQuote = Pick<
  Quote,
  'id' | 'chainId' | 'tokenKey' | 'cryptoAmount' | 'exchangeRate' | 'expiresAt' | 'evidence'
>;

/**
 * `walletBalance` and `walletAllowance` are in base units, as of the latest block. `terms` is what the payer agrees to, a
 * payment's terms or a subscription's consent, with every integer as a decimal string.
 */
export type PreparedCheckout = {
  quote: PublicQuote;
  terms: Prisma.InputJsonObject;
  steps: PaymentStep[];
  walletBalance: string;
  walletAllowance: string;
};

/** The maximum number of quotes per payment; a page that renews its price for a whole day needs fewer. */
export const QUOTES_LIMIT = 500;

/**
 * Locks a price for one wallet (on Solana for any), chain, token and method, and returns the steps that the wallet has to take.
 * Writes the quote and the terms (signed by the operator on EVM chains) in one transaction; from then on a payment of these terms
 * counts.
 *
 * Throws VALIDATION_ERROR for a way to pay that is not offered and for a wallet to which no key exists, NOT_FOUND,
 * INVALID_STATE, EXPIRED, CHAIN_PAUSED, CHAIN_UNAVAILABLE and PRICE_UNAVAILABLE. Throws CONFLICT if the app has no payout address
 * on the chain or one that would lose the money, if its settings change in the meantime, if the wallet has a pending relayed
 * payment, or if this payment would use an allowance that another agreement of the wallet relies on (`readKeptAllowance`).
 *
 * For a TRANSFER, the wallet is the refund address, and the quote gets a deposit address, which is watched from then on.
 */
export async function prepareCheckout(
  world: CheckoutWorld,
  request: { scope: Scope; sessionId: string; input: WayToPay; idempotency?: IdempotencyRequest | undefined },
): Promise<PreparedCheckout> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const now = world.clock.now();
    const way = requireKnownWay(world, request.input);
    const session = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
    requireOfferedWay(world, session, way);
    requirePayable(session, now);
    const intent = requireIntent(session);
    const merchant = requirePayout(session, way.chain);
    await requireOpenChain(world, way.chain.chainId);
    const quoted = await quoteWay(world, session, way);
    await requireNoRelay(world, way);

    if (way.method === 'TRANSFER') await requireRefundAddress(world.database, way.payer);
    const quoteId = newId();
    const asked = { quoteId, intent, app: session.app, merchant, quoted, now, ...validityOf(world, session, way) };
    const planned = await planPayment(world, way, asked);
    const expiresAt = new Date(now.getTime() + asked.quoteSeconds * 1000);
    const prepared = await write(async (tx) => {
      await requireSameSettings(tx, session.app);
      return {
        quote: await writeQuote(tx, { ...asked, way, planned, expiresAt }),
        terms: planned.terms,
        steps: planned.steps,
        walletBalance: planned.walletBalance.toString(),
        walletAllowance: planned.walletAllowance.toString(),
      };
    });
    if (way.method === 'TRANSFER') {
      const { chainId } = way.chain;
      world.log?.info({ chainId, termsHash: planned.termsHash, terms: planned.terms }, 'A deposit address was issued.');
    }
    return prepared;
  });
}

/** A plain transfer by a person or an exchange takes longer than a payment by a wallet. */
function validityOf(
  { config }: Pick<CheckoutWorld, 'config'>,
  { app }: Pick<SessionToPay, 'app'>,
  { method }: Pick<KnownWay, 'method'>,
): Pick<PaymentToPlan, 'quoteSeconds' | 'graceSeconds'> {
  return method === 'TRANSFER'
    ? { quoteSeconds: app.transferQuoteDuration, graceSeconds: TRANSFER_GRACE_SECONDS }
    : { quoteSeconds: config.quoteSeconds, graceSeconds: AUTHORIZE_GRACE_SECONDS };
}

function requireIntent(session: SessionToPay): PaymentIntent {
  if (session.paymentIntent) return session.paymentIntent;
  throw new GatewayError('INVALID_STATE', 'The checkout session has no payment: its subscription starts with a trial.');
}

/** Returns the app's payout address on a chain. Throws CONFLICT if it has no payout address, or if money sent there would be lost. */
export function requirePayout(session: SessionToPay, chain: KnownWay['chain']): string {
  const payout = payoutOn(session, chain);
  const meta = { appId: session.appId, chainId: chain.chainId };
  if (!payout) {
    const words = `The app has no payout address for ${chain.family} chains such as ${chain.name}.`;
    throw new GatewayError('CONFLICT', words, { param: 'payoutAddress', meta });
  }
  if (payout.sink === null) return payout.address;
  const words = `The app cannot be paid on ${chain.name}: its payout address ${payout.address} ${payout.sink}.`;
  throw new GatewayError('CONFLICT', words, { param: 'payoutAddress', meta });
}

/** The Solana code is loaded with the first payment, so that an installation without Solana does not load it. */
async function planPayment(world: CheckoutWorld, way: KnownWay, asked: PaymentToPlan): Promise<PlannedQuote> {
  if (way.family === 'EVM') return await planEvmPayment(world, way, asked);
  const { planSolanaPayment } = await import('./solana/plan-solana-payment.ts');
  return await planSolanaPayment(world, way, asked);
}

/** Throws CHAIN_PAUSED. */
export async function requireOpenChain(world: CheckoutWorld, chainId: number): Promise<void> {
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  if (!cursor || (cursor.pausedAt === null && cursor.haltedAt === null)) return;
  throw new GatewayError('CHAIN_PAUSED', `New payments on chain ${chainId} are paused.`, { meta: { chainId } });
}

/** Throws CONFLICT for a relayed method while a relayed payment of the wallet is pending. */
export async function requireNoRelay(world: CheckoutWorld, way: KnownWay): Promise<void> {
  if (way.method === 'DIRECT' || way.method === 'TRANSFER' || way.payer === null) return;
  const wallet = { chainId: way.chain.chainId, address: way.payer };
  const underWay = await relayUnderWay(world.database, wallet);
  if (underWay === undefined) return;
  throw new GatewayError(
    'CONFLICT',
    'A payment of this wallet is pending on this chain. Wait for it, or pay with the method DIRECT.',
    {
      meta: { paymentIntentId: underWay },
    },
  );
}

/** The session's amount in a token at the current price. Rejects a method that the amount is too small for. */
export async function quoteWay(
  world: CheckoutWorld,
  session: SessionToPay,
  way: KnownWay,
): Promise<PaymentToPlan['quoted']> {
  const currency = currencyOf(session.currency);
  const [fiat, token] = await Promise.all([world.prices.fiatUsd(currency), world.prices.usdPrice(way.token.symbol)]);
  const amount = new Decimal(session.amount.toString());
  requireOfferedMethod(world, session, { ...way, amountUsd: relayedAmount(session).times(fiat.priceUsd) });
  const quoted = quoteAmount({
    amount,
    fiatUsd: fiat.priceUsd,
    tokenUsd: token.priceUsd,
    decimals: way.token.decimals,
  });
  return { ...quoted, evidence: priceEvidence({ [currency]: fiat, [way.token.symbol]: token }) };
}

async function writeQuote(
  tx: DatabaseTransaction,
  prepared: PaymentToPlan & { way: KnownWay; planned: PlannedQuote; expiresAt: Date },
): Promise<Quote> {
  const { quoteId, intent, way, planned, quoted, now } = prepared;
  await lockPaymentIntent(tx, intent.id);
  requireUnpaid(await tx.paymentIntent.findUniqueOrThrow({ where: { id: intent.id } }));
  if ((await tx.quote.count({ where: { paymentIntentId: intent.id } })) >= QUOTES_LIMIT) {
    throw new GatewayError(
      'CONFLICT',
      `This payment has had ${QUOTES_LIMIT} quotes, which is the limit. Create a new payment.`,
    );
  }
  const shared = {
    paymentIntentId: intent.id,
    chainId: way.chain.chainId,
    tokenKey: way.token.key,
    method: recordedMethod(way.method),
    exchangeRate: quoted.exchangeRate,
    termsHash: planned.termsHash,
    createdAt: now,
  };
  await tx.paymentTerms.create({
    data: {
      ...shared,
      quoteId,
      terms: planned.terms,
      operatorSignature: planned.operatorSignature,
      authorizeBy: planned.authorizeBy,
    },
  });
  if (way.family === 'EVM' && way.method === 'TRANSFER') {
    await openDepositAddress(tx, {
      chainId: way.chain.chainId,
      escrow: way.chain.escrow,
      terms: termsFromJson(planned.terms),
      tokenKey: way.token.key,
      paymentIntentId: intent.id,
      quoteId,
      expiresAt: prepared.expiresAt,
      now,
    });
  }
  return await tx.quote.create({
    data: {
      ...shared,
      id: quoteId,
      walletAddress: way.payer ?? '',
      cryptoAmount: toDecimal(quoted.cryptoAmount),
      expiresAt: prepared.expiresAt,
      plan: planned.plan,
      evidence: quoted.evidence,
    },
  });
}
