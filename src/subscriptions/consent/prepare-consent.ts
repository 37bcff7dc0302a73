import { getAddress } from 'viem';
import {
  type DatabaseTransaction,
  Prisma,
  type ProductPlanPrice,
  type SubscriptionConsent,
} from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { storedMetering } from '../../catalog/metering.ts';
import { contractAddress } from '../../chains/chain.ts';
import type { CheckoutWorld } from '../../checkout/checkout-world.ts';
import { partiesOf } from '../../checkout/evm/plan-evm-payment.ts';
import { readCheckoutChain } from '../../checkout/evm/read-checkout-chain.ts';
import { recordedMethod } from '../../checkout/payment-method.ts';
import {
  type PreparedCheckout,
  QUOTES_LIMIT,
  quoteWay,
  requireNoRelay,
  requireOpenChain,
  requirePayout,
} from '../../checkout/prepare-checkout.ts';
import { AUTHORIZE_GRACE_SECONDS } from '../../checkout/quoted-terms.ts';
import { requirePayable, requireUnpaid } from '../../checkout/require-payable.ts';
import { lockPaymentIntent, requireSameSettings, requireSession, type SessionToPay } from '../../checkout/store.ts';
import {
  type EvmWay,
  requireEvmWay,
  requireKnownWay,
  requireOfferedWay,
  type WayToPay,
} from '../../checkout/way-to-pay.ts';
import { GatewayError } from '../../errors.ts';
import { consentHash, consentToJson, type RecurringConsent } from '../../escrow/consent.ts';
import { ESCROW_EDITION } from '../../escrow/escrow-domain.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently, type Write } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { toBigInt, toDecimal } from '../../prices/base-units.ts';
import { type PreparedCharge, quoteCharge, signCharge } from '../charge/prepare-charge.ts';
import { recordCharge } from '../charge/queue-charge.ts';
import { periodPrice } from '../checkout/subscription-session.ts';
import { nextPrice, type RenewableSubscription, renewalIncludes } from '../renewal/renewal-world.ts';
import { lockSubscription, type SubscriptionWithPrice } from '../store.ts';
import { type ConsentPermit, consentSteps } from './consent-steps.ts';
import { findDueRenewal, requireRunning } from './due-renewal.ts';
import { type PromisedPrice, undiscountedTotal } from './promised-price.ts';
import { allowanceFor, capOf, consentStart, newConsent } from './recurring-consent.ts';

type PrepareRequest = {
  scope: Scope;
  sessionId: string;
  input: WayToPay;
  idempotency?: IdempotencyRequest | undefined;
};

/**
 * Locks the first price for one wallet, chain, token and method of a SUBSCRIPTION session, and returns the wallet's steps: grant
 * the allowance and sign the consent. Writes the consent and, without a trial, the first charge's quote and terms, signed by the
 * operator. In a session that replaces a consent nothing is paid: the open invoice is charged afterwards, as every renewal is.
 *
 * Throws as `prepareCheckout` does: VALIDATION_ERROR for DIRECT, native coins and anything else that is not offered, NOT_FOUND,
 * INVALID_STATE for a subscription whose status does not fit the session, EXPIRED, CONFLICT, CHAIN_PAUSED, CHAIN_UNAVAILABLE and PRICE_UNAVAILABLE.
 */
export async function prepareConsent(world: CheckoutWorld, request: PrepareRequest): Promise<PreparedCheckout> {
  return await idempotently<PreparedCheckout>(world.database, request.idempotency, (write) =>
    prepareFirst(world, request, write),
  );
}

/** What `prepareConsent` does unless the call is a replay. */
async function prepareFirst(
  world: CheckoutWorld,
  request: PrepareRequest,
  write: Write<PreparedCheckout>,
): Promise<PreparedCheckout> {
  const now = world.clock.now();
  const way = requireEvmWay(requireKnownWay(world, request.input));
  const session = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
  requireOfferedWay(world, session, way);
  requirePayable(session, now);
  const subscription = await requireSubscription(world, session);
  const due = session.renewsConsent ? await findDueRenewal(world.database, subscription) : null;
  const merchant = getAddress(requirePayout(session, way.chain));
  await requireOpenChain(world, way.chain.chainId);
  const quoted = await quoteWay(world, session, way);
  const full = due
    ? await quoteRenewal(world, { session, subscription, way })
    : await quoteFull(world, { session, subscription, way, quoted });
  await requireNoRelay(world, way);

  const reading = await readCheckoutChain(world, way);
  const consent = await unusedConsent(world, {
    way,
    consent: newConsent({
      subscriptionId: subscription.id,
      app: session.app,
      intent: due?.invoice?.paymentIntent ?? session.paymentIntent,
      price: due ? full.price : subscription.productPlanPrice,
      payer: way.payer,
      merchant,
      token: contractAddress(way.token),
      capPerPeriod: await capFor(world, { session, subscription, way, fullQuote: full.cryptoAmount }),
      start: due ? Math.floor(due.start.getTime() / 1000) : consentStart(subscription.productPlanPrice, now),
      parties: partiesOf(world),
    }),
  });
  const { allowance } = reading.wallet;
  const wanted = allowanceFor(consent.capPerPeriod, allowance);
  const base = Math.max(Math.floor(now.getTime() / 1000), reading.timestamp);
  const permit: ConsentPermit | null =
    way.method === 'PERMIT'
      ? {
          value: wanted,
          deadline: base + world.config.quoteSeconds + AUTHORIZE_GRACE_SECONDS,
          nonce: reading.wallet.permitNonce ?? 0n,
        }
      : null;
  const row = consentRow({ session, subscription, way, consent, permit, quoted, now, world });
  const intent = session.paymentIntent;
  const charge =
    intent &&
    (await signCharge(world, {
      consent: row,
      periodIndex: 0,
      intent,
      quoteId: row.quoteId,
      quoted,
      newestBlockAt: reading.timestamp,
    }));
  const steps = consentSteps({
    ...way.chain,
    token: way.token,
    consent,
    permit,
    price: due ? full.price : subscription.productPlanPrice,
    renews: due && { isDue: due.invoice !== null },
    firstCharge: quoted.cryptoAmount,
    promised: promiseOf({ session, subscription, full: full.amount }),
    isMetered: (due ? full.price : subscription.productPlanPrice).metering !== null,
    wanted,
    allowance,
  });
  return await write(async (tx) => {
    await requireSameSettings(tx, session.app);
    await writeConsent(tx, { session, row, charge });
    return {
      quote: {
        id: row.quoteId,
        chainId: row.chainId,
        tokenKey: row.tokenKey,
        cryptoAmount: row.cryptoAmount,
        exchangeRate: row.exchangeRate,
        expiresAt: row.quoteExpiresAt,
        evidence: quoted.evidence,
      },
      terms: consentToJson(consent),
      steps,
      walletBalance: reading.wallet.balance.toString(),
      walletAllowance: allowance.toString(),
    };
  });
}

/**
 * The cap that the payer signs: for a metered price the merchant's, and at least the base fee. `fullQuote` is the price without a
 * discount. Throws PRICE_UNAVAILABLE.
 */
async function capFor(
  world: CheckoutWorld,
  asked: { session: SessionToPay; subscription: RenewableSubscription; way: EvmWay; fullQuote: bigint },
): Promise<bigint> {
  const { session, subscription, way, fullQuote } = asked;
  const metering = storedMetering(nextPrice(subscription).price.metering);
  if (metering === null) return capOf(fullQuote, session.app.subscriptionCapMultiplier);
  const intent = { amount: new Prisma.Decimal(metering.capAmount), currency: session.currency };
  const { cryptoAmount } = await quoteCharge(world, { intent, token: way.token });
  if (cryptoAmount < fullQuote) return fullQuote;
  return cryptoAmount;
}

async function requireSubscription(world: CheckoutWorld, session: SessionToPay): Promise<RenewableSubscription> {
  if (session.subscriptionId === null) throw new Error('A SUBSCRIPTION session has no subscription.');
  const subscription = await world.database.subscription.findUniqueOrThrow({
    where: { id: session.subscriptionId },
    include: renewalIncludes,
  });
  requireSignable(session, subscription);
  return subscription;
}

/**
 * The amount from which the cap of a consent that replaces another is computed: the open invoice, or the next period without a discount,
 * whichever is more.
 */
async function quoteRenewal(
  world: CheckoutWorld,
  { session, subscription, way }: { session: SessionToPay; subscription: RenewableSubscription; way: EvmWay },
): Promise<FullQuote> {
  const { plan, price } = nextPrice(subscription);
  const period = new Prisma.Decimal(periodPrice(plan, price, null).total.total.toString());
  const amount = period.greaterThan(session.amount) ? period : session.amount;
  const { cryptoAmount } = await quoteWay(world, { ...session, amount }, way);
  return { amount, cryptoAmount, price };
}

type FullQuote = { amount: Prisma.Decimal; cryptoAmount: bigint; price: ProductPlanPrice };

/** The price without a discount, from which the cap is computed, so that the renewal after the end of a coupon is within it. */
async function quoteFull(
  world: CheckoutWorld,
  asked: {
    session: SessionToPay;
    subscription: RenewableSubscription;
    way: EvmWay;
    quoted: { cryptoAmount: bigint };
  },
): Promise<FullQuote> {
  const { session, way, quoted } = asked;
  const price = asked.subscription.productPlanPrice;
  if (session.discountAmount.isZero()) return { amount: session.amount, cryptoAmount: quoted.cryptoAmount, price };
  const rate = session.taxRateId && (await world.database.taxRate.findUnique({ where: { id: session.taxRateId } }));
  const amount = new Prisma.Decimal(undiscountedTotal(session, rate || null).toString());
  const { cryptoAmount } = await quoteWay(world, { ...session, amount }, way);
  return { amount, cryptoAmount, price };
}

/** Null without a coupon. */
function promiseOf(request: {
  session: SessionToPay;
  subscription: SubscriptionWithPrice;
  full: Prisma.Decimal;
}): PromisedPrice | null {
  const { session, subscription, full } = request;
  if (session.discountAmount.isZero()) return null;
  const print = (amount: Prisma.Decimal) => `${amount.toFixed(2)} ${session.currency}`;
  return { reduced: print(session.amount), full: print(full), periods: subscription.couponPeriodsLeft };
}

/** Throws INVALID_STATE for a subscription whose payer cannot sign in this session, because of its status. */
export function requireSignable(
  session: Pick<SessionToPay, 'renewsConsent'>,
  subscription: Pick<SubscriptionWithPrice, 'status'>,
): void {
  if (session.renewsConsent) {
    requireRunning(subscription);
    return;
  }
  if (subscription.status === 'PENDING') return;
  throw new GatewayError(
    'INVALID_STATE',
    `The subscription is ${subscription.status}. Only a PENDING subscription can be started.`,
  );
}

/** A consent has no nonce, so a second one requested within the same second starts a second earlier to get a different id. */
async function unusedConsent(
  world: CheckoutWorld,
  { way, consent }: { way: EvmWay; consent: RecurringConsent },
): Promise<RecurringConsent> {
  const key = { chainId: way.chain.chainId, consentId: consentHash(consent) };
  if ((await world.database.subscriptionConsent.count({ where: key })) === 0) return consent;
  return await unusedConsent(world, { way, consent: { ...consent, start: consent.start - 1 } });
}

function consentRow(asked: {
  world: Pick<CheckoutWorld, 'config'>;
  session: SessionToPay;
  subscription: SubscriptionWithPrice;
  way: EvmWay;
  consent: RecurringConsent;
  permit: ConsentPermit | null;
  quoted: { cryptoAmount: bigint; exchangeRate: string };
  now: Date;
}): SubscriptionConsent {
  const { way, consent, permit, quoted, now } = asked;
  return {
    consentId: consentHash(consent),
    edition: ESCROW_EDITION,
    subscriptionId: asked.subscription.id,
    sessionId: asked.session.id,
    quoteId: newId(),
    chainId: way.chain.chainId,
    tokenKey: way.token.key,
    walletAddress: way.payer,
    method: recordedMethod(way.method),
    consent: consentToJson(consent),
    capPerPeriod: toDecimal(consent.capPerPeriod),
    cryptoAmount: toDecimal(quoted.cryptoAmount),
    exchangeRate: new Prisma.Decimal(quoted.exchangeRate),
    quoteExpiresAt: new Date(now.getTime() + asked.world.config.quoteSeconds * 1000),
    payerSignature: null,
    permitValue: permit && toDecimal(permit.value),
    permitDeadline: permit && new Date(permit.deadline * 1000),
    permitNonce: permit?.nonce.toString() ?? null,
    permitSignature: null,
    lastChargedPeriod: null,
    signedAt: null,
    acceptedAt: null,
    replacedAt: null,
    revokedAt: null,
    createdAt: now,
  };
}

/** The permit requested with this consent. */
export function permitOf(row: SubscriptionConsent): ConsentPermit | null {
  if (row.permitValue === null || row.permitDeadline === null || row.permitNonce === null) return null;
  return {
    value: toBigInt(row.permitValue),
    deadline: Math.floor(row.permitDeadline.getTime() / 1000),
    nonce: BigInt(row.permitNonce),
  };
}

async function writeConsent(
  tx: DatabaseTransaction,
  { session, row, charge }: { session: SessionToPay; row: SubscriptionConsent; charge: PreparedCharge | null },
): Promise<void> {
  const { subscriptionId } = row;
  requireSignable(session, await lockSubscription(tx, subscriptionId));
  // Those of the sessions before the present consent was accepted do not count.
  const accepted = await tx.subscriptionConsent.findFirst({ where: { acceptedBy: { id: subscriptionId } } });
  const since = accepted?.acceptedAt ? { createdAt: { gt: accepted.acceptedAt } } : {};
  if ((await tx.subscriptionConsent.count({ where: { subscriptionId, ...since } })) >= QUOTES_LIMIT) {
    throw new GatewayError(
      'CONFLICT',
      `This subscription has had ${QUOTES_LIMIT} quotes, which is the limit. Create a new subscription.`,
    );
  }
  const { consent, ...columns } = row;
  const { count } = await tx.subscriptionConsent.createMany({
    data: { ...columns, consent: consent ?? {} },
    skipDuplicates: true,
  });
  if (count === 0)
    throw new GatewayError(
      'CONFLICT',
      'The checkout was prepared by another request at the same time. Prepare it again.',
    );
  if (charge === null) return;
  await lockPaymentIntent(tx, charge.paymentIntentId);
  requireUnpaid(await tx.paymentIntent.findUniqueOrThrow({ where: { id: charge.paymentIntentId } }));
  await recordCharge(tx, { charge, confirmedAt: null });
}
