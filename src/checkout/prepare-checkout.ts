import { Decimal } from 'decimal.js';
import { type Address, getAddress, type Hex, isAddress, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type DatabaseTransaction, type PaymentIntent, type Quote, transaction } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { contractAddress, type Token } from '../chains/chain.ts';
import { GatewayError } from '../errors.ts';
import { type PaymentTerms, termsHash, termsToJson, termsTypedData } from '../escrow/terms.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { newId } from '../platform/identifier.ts';
import { toDecimal } from '../prices/base-units.ts';
import { currencyOf } from '../prices/money.ts';
import { type PriceEvidence, priceEvidence } from '../prices/price-evidence.ts';
import { type QuotedAmount, quoteAmount } from '../prices/quote.ts';
import type { AuthorizationPlan, PlannedPayment } from './authorization-plan.ts';
import type { CheckoutWorld } from './checkout-world.ts';
import { type PaymentStep, stepsFor } from './payment-step.ts';
import { type Parties, quotedTerms } from './quoted-terms.ts';
import { readCheckoutChain } from './read-checkout-chain.ts';
import { requirePayable, requireUnpaid } from './require-payable.ts';
import { lockPaymentIntent, relayUnderWay, requireSession, type SessionToPay } from './store.ts';
import {
  type KnownWay,
  requireKnownWay,
  requireOfferedMethod,
  requireOfferedWay,
  type WayToPay,
} from './way-to-pay.ts';

/** What is told of a locked price. */
export type ToldQuote = Pick<
  Quote,
  'id' | 'chainId' | 'tokenKey' | 'cryptoAmount' | 'exchangeRate' | 'expiresAt' | 'evidence'
>;

/** `walletBalance` and `walletAllowance` in base units, as of the latest block. */
export type PreparedCheckout = {
  quote: ToldQuote;
  steps: PaymentStep[];
  walletBalance: string;
  walletAllowance: string;
};

type QuotedPrice = QuotedAmount & { evidence: PriceEvidence };

/** Quotes of one payment: a page that renews its price for a day makes fewer. */
export const QUOTES_LIMIT = 500;

/**
 * Locks a price for one wallet, chain, token and method, and answers what the wallet has to do. Writes the quote and the
 * terms, signed by the operator, in one transaction: from then on an authorization of these terms counts.
 *
 * Throws VALIDATION_ERROR for a way to pay that is not offered, NOT_FOUND, INVALID_STATE, EXPIRED, CONFLICT when the app
 * has no payout address or the wallet has a relayed payment under way, CHAIN_PAUSED, CHAIN_UNAVAILABLE,
 * PRICE_UNAVAILABLE.
 */
export async function prepareCheckout(
  world: CheckoutWorld,
  request: { scope: Scope; sessionId: string; input: WayToPay; idempotency?: IdempotencyRequest | undefined },
): Promise<PreparedCheckout> {
  const first = await firstAnswer<PreparedCheckout>(world.database, request.idempotency);
  if (first) return first.result;
  const now = world.clock.now();
  const way = requireKnownWay(world, request.input);
  const session = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
  requireOfferedWay(world, session, way);
  requirePayable(session, now);
  const intent = requireIntent(session);
  const merchant = requirePayout(session, way.chain);
  await requireOpenChain(world, way.chain.chainId);
  const quoted = await quoteWay(world, session, way);
  if (way.method !== 'DIRECT') await requireNoRelay(world, way);

  const reading = await readCheckoutChain(world, way);
  const quoteId = newId();
  const terms = quotedTerms({
    quoteId,
    intent,
    app: session.app,
    payer: way.payer,
    merchant,
    token: contractAddress(way.token),
    amount: quoted.cryptoAmount,
    evidence: quoted.evidence,
    base: Math.max(Math.floor(now.getTime() / 1000), reading.timestamp),
    quoteSeconds: world.config.quoteSeconds,
    parties: partiesOf(world),
  });
  const payment = { chainId: way.chain.chainId, escrow: way.chain.escrow, terms, token: way.token };
  const plan = planFor(way, terms, reading.wallet.permitNonce);
  const operatorSignature = await world.operator.signTypedData(termsTypedData(payment));
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => ({
      quote: await writeQuote(tx, {
        quoteId,
        intent,
        way,
        payment,
        plan,
        quoted,
        operatorSignature,
        expiresAt: new Date(now.getTime() + world.config.quoteSeconds * 1000),
        now,
      }),
      steps: stepsFor({ plan, payment, operatorSignature, allowance: reading.wallet.allowance }),
      walletBalance: reading.wallet.balance.toString(),
      walletAllowance: reading.wallet.allowance.toString(),
    })),
  );
  return result;
}

function requireIntent(session: SessionToPay): PaymentIntent {
  if (session.paymentIntent) return session.paymentIntent;
  throw new GatewayError('INVALID_STATE', 'The checkout session has no payment: its subscription starts with a trial.');
}

/** Where the app is paid on a chain. Throws CONFLICT where it has not said. */
export function requirePayout(session: SessionToPay, chain: KnownWay['chain']): Address {
  const payout = session.app.payoutAddresses.find((candidate) => candidate.family === chain.family);
  if (payout && isAddress(payout.address, { strict: false })) return getAddress(payout.address);
  throw new GatewayError(
    'CONFLICT',
    `The app has no payout address for ${chain.family} chains such as ${chain.name}.`,
    {
      param: 'payoutAddress',
      meta: { appId: session.appId, chainId: chain.chainId },
    },
  );
}

/** Throws CHAIN_PAUSED. */
export async function requireOpenChain(world: CheckoutWorld, chainId: number): Promise<void> {
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  if (!cursor || (cursor.pausedAt === null && cursor.haltedAt === null)) return;
  throw new GatewayError('CHAIN_PAUSED', `New payments on chain ${chainId} are paused.`, { meta: { chainId } });
}

/** Throws CONFLICT while a relayed payment of the wallet is under way. */
export async function requireNoRelay(world: CheckoutWorld, way: KnownWay): Promise<void> {
  const wallet = { chainId: way.chain.chainId, address: way.payer };
  const underWay = await relayUnderWay(world.database, wallet);
  if (underWay === undefined) return;
  throw new GatewayError(
    'CONFLICT',
    'A payment of this wallet is under way on this chain; wait for it or pay DIRECT.',
    {
      meta: { paymentIntentId: underWay },
    },
  );
}

/** The session's amount in a token, at this moment's price; the method is judged by what it is worth. */
export async function quoteWay(world: CheckoutWorld, session: SessionToPay, way: KnownWay): Promise<QuotedPrice> {
  const currency = currencyOf(session.currency);
  const [fiat, token] = await Promise.all([world.prices.fiatUsd(currency), world.prices.usdPrice(way.token.symbol)]);
  const amount = new Decimal(session.amount.toString());
  requireOfferedMethod(world, session, { ...way, amountUsd: amount.times(fiat.priceUsd) });
  const quoted = quoteAmount({
    amount,
    fiatUsd: fiat.priceUsd,
    tokenUsd: token.priceUsd,
    decimals: way.token.decimals,
  });
  return { ...quoted, evidence: priceEvidence({ [currency]: fiat, [way.token.symbol]: token }) };
}

/** Without a fee recipient of its own the operator's address gets the fee; without an arbiter there are no disputes. */
export function partiesOf(world: CheckoutWorld): Parties {
  const { arbiter, feeRecipient } = world.config;
  const ofKey = arbiter.privateKey === undefined ? zeroAddress : privateKeyToAddress(arbiter.privateKey);
  return {
    operator: world.operator.address,
    arbiter: arbiter.address ?? ofKey,
    feeRecipient: feeRecipient ?? world.operator.address,
  };
}

/** ERC-3009 where the token has it: one signature, and no allowance is left behind. */
function planFor(
  way: { method: KnownWay['method']; token: Token },
  terms: PaymentTerms,
  permitNonce: bigint | null,
): AuthorizationPlan {
  switch (way.method) {
    case 'DIRECT':
      return { kind: 'direct' };
    case 'APPROVAL':
      return { kind: 'allowance' };
    case 'PERMIT':
      if (way.token.receive !== null) return { kind: 'receive', validBefore: terms.authorizeBy + 1 };
      return { kind: 'permit', deadline: terms.authorizeBy, nonce: String(permitNonce ?? 0n) };
    default:
      return way.method satisfies never;
  }
}

async function writeQuote(
  tx: DatabaseTransaction,
  prepared: {
    quoteId: string;
    intent: PaymentIntent;
    way: KnownWay;
    payment: PlannedPayment;
    plan: AuthorizationPlan;
    quoted: QuotedPrice;
    operatorSignature: Hex;
    expiresAt: Date;
    now: Date;
  },
): Promise<Quote> {
  const { quoteId, intent, way, payment, quoted, now } = prepared;
  await lockPaymentIntent(tx, intent.id);
  requireUnpaid(await tx.paymentIntent.findUniqueOrThrow({ where: { id: intent.id } }));
  if ((await tx.quote.count({ where: { paymentIntentId: intent.id } })) >= QUOTES_LIMIT) {
    throw new GatewayError('CONFLICT', `This payment has had ${QUOTES_LIMIT} quotes; make a new one.`);
  }
  const hash = termsHash(payment);
  const shared = {
    paymentIntentId: intent.id,
    chainId: way.chain.chainId,
    tokenKey: way.token.key,
    method: way.method,
    exchangeRate: quoted.exchangeRate,
    termsHash: hash,
    createdAt: now,
  };
  await tx.paymentTerms.create({
    data: {
      ...shared,
      quoteId,
      terms: termsToJson(payment.terms),
      operatorSignature: prepared.operatorSignature,
      authorizeBy: new Date(payment.terms.authorizeBy * 1000),
    },
  });
  return await tx.quote.create({
    data: {
      ...shared,
      id: quoteId,
      walletAddress: way.payer,
      cryptoAmount: toDecimal(quoted.cryptoAmount),
      expiresAt: prepared.expiresAt,
      steps: prepared.plan,
      evidence: quoted.evidence,
    },
  });
}
