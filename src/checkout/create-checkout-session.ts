import { Decimal } from 'decimal.js';
import type { App, DatabaseTransaction, PaymentIntent, TaxRate } from '../../prisma/client.ts';
import { discountLines } from '../catalog/coupons/discount.ts';
import { redeemCoupon } from '../catalog/coupons/redemption.ts';
import { couponParam, discountOf, requireCoupon, requirePositive } from '../catalog/coupons/require-coupon.ts';
import { requirePlanPrice } from '../catalog/require-plan-price.ts';
import { requireTaxRate } from '../catalog/require-tax-rate.ts';
import { type TaxableLine, type TaxRule, taxTotal } from '../catalog/tax.ts';
import { taxRuleOf } from '../catalog/tax-rate.ts';
import { type Selection, selectionFaults } from '../chains/chain-selection.ts';
import { requireCustomer } from '../customers/require-customer.ts';
import { type FieldFault, GatewayError, invalid, notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { type Currency, currencyOf } from '../prices/money.ts';
import {
  type CheckoutItemInput,
  type CreateCheckoutSessionInput,
  LARGEST_TOTAL,
  type SessionWithItems,
  sessionExpiry,
} from './checkout-session.ts';
import type { CheckoutWorld } from './checkout-world.ts';
import { type NewCheckoutSession, type NewSessionItem, openCheckoutSession } from './open-checkout-session.ts';
import { requireNoPaidCall } from './require-payable.ts';

export type CreatedCheckoutSession = { session: SessionWithItems; clientSecret: string };

/**
 * Opens a session for items, together with an intent over their total (`payment_intent.created`), or for an existing unpaid
 * intent. A replay returns the same client secret. `input` has been validated with `createCheckoutSessionSchema`.
 *
 * Throws VALIDATION_ERROR (chains, tokens, prices, totals), NOT_FOUND with `param` for anything that the input refers to,
 * INVALID_STATE for an intent that cannot be paid in a checkout and an archived coupon, EXPIRED for an expired one, and CONFLICT for a
 * coupon whose limit is reached.
 */
export async function createCheckoutSession(
  world: Pick<CheckoutWorld, 'database' | 'clock' | 'registry'>,
  request: {
    app: { id: string; merchantId: string };
    /** Has items or a paymentIntentId; sessions for anything else are opened by their own modules. */
    input: CreateCheckoutSessionInput;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<CreatedCheckoutSession> {
  const stored = await idempotently<CreatedCheckoutSession>(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const app = await tx.app.findUniqueOrThrow({
        where: { id: request.app.id, merchantId: request.app.merchantId },
      });
      const planned = await planSession(tx, { world, app, input: request.input });
      const opened = await openCheckoutSession(tx, planned);
      await appendEvents(tx, app.id, opened.events);
      return { session: opened.session, clientSecret: sealed(request.idempotency, opened.clientSecret) };
    }),
  );
  return reveal(stored, request.idempotency);
}

function reveal(stored: CreatedCheckoutSession, idempotency: IdempotencyRequest | undefined): CreatedCheckoutSession {
  return { session: stored.session, clientSecret: unsealed(idempotency, stored.clientSecret) };
}

type Subject = Pick<
  NewCheckoutSession,
  'payment' | 'source' | 'currency' | 'total' | 'items' | 'taxRateId' | 'couponId'
>;

async function planSession(
  tx: DatabaseTransaction,
  request: { world: Pick<CheckoutWorld, 'clock' | 'registry'>; app: App; input: CreateCheckoutSessionInput },
): Promise<NewCheckoutSession> {
  const { world, app, input } = request;
  const now = world.clock.now();
  const given: Selection = {
    allowedChains: input.allowedChains ?? 'ALL',
    allowedTokens: input.allowedTokens ?? 'ALL',
  };
  const faults = selectionFaults(world, { mode: app.mode, selection: given });
  if (faults.length > 0) throw invalid(faults);
  await requireCustomer(tx, { appId: app.id, id: input.customerAccountId, param: 'customerAccountId' });
  const intent = input.paymentIntentId
    ? await requirePayableIntent(tx, { appId: app.id, id: input.paymentIntentId, now })
    : null;
  const subject = intent ? ofIntent(intent) : await ofItems(tx, { app, input, now });
  return {
    app,
    now,
    expiresAt: sessionExpiry(now, input.expiresInMinutes),
    uiMode: input.uiMode,
    customerAccountId: input.customerAccountId ?? intent?.customerAccountId,
    selection: given,
    successUrl: input.successUrl ?? intent?.successUrl,
    cancelUrl: input.cancelUrl ?? intent?.cancelUrl,
    metadata: input.metadata,
    ...subject,
  };
}

function ofIntent(intent: PaymentIntent): Subject {
  const amount = new Decimal(intent.amount.toString());
  return {
    payment: { kind: 'existing', intent },
    source: null,
    currency: currencyOf(intent.currency),
    total: { subtotal: amount, taxAmount: new Decimal(0), total: amount },
    items: [],
  };
}

async function ofItems(
  tx: DatabaseTransaction,
  request: { app: App; input: CreateCheckoutSessionInput; now: Date },
): Promise<Subject> {
  const { app, input, now } = request;
  const sessionRate = await requireTaxRate(tx, {
    merchantId: app.merchantId,
    id: input.taxRateId,
    param: 'taxRateId',
  });
  const priced: PricedItem[] = [];
  for (const [index, item] of (input.items ?? []).entries()) {
    priced.push(await priceItem(tx, { app, item, path: `items[${index}].`, sessionRate }));
  }
  const currency = priced[0]?.currency ?? 'USD';
  const faults: FieldFault[] = priced.flatMap((item, index) =>
    item.currency === currency
      ? []
      : [{ param: `items[${index}].currency`, message: `${item.currency}, while the first item is in ${currency}` }],
  );
  if (faults.length > 0) throw invalid(faults);
  const coupon = await requireCoupon(tx, { appId: app.id, couponId: input.couponId, couponCode: input.couponCode });
  const param = couponParam(input);
  const discount = coupon && discountOf(coupon, { currency, now, param });
  const lines = discountLines(priced.map(taxableLine), discount);
  const total = taxTotal(lines.map((line) => line.taxed));
  if (total.total.gt(LARGEST_TOTAL)) {
    const message = `sum to ${total.total.toFixed(2)}; at most ${LARGEST_TOTAL.toFixed(2)}`;
    throw invalid([{ param: 'items', message }]);
  }
  if (coupon) {
    requirePositive(total, param);
    await redeemCoupon(tx, coupon, { customerAccountId: input.customerAccountId, param });
  }
  return {
    couponId: coupon?.id ?? null,
    payment: { kind: 'new', captureMode: input.captureMode },
    source: 'session',
    currency,
    total,
    items: lines.flatMap((line, index) => (priced[index] ? [{ ...priced[index], ...line }] : [])),
    taxRateId: sessionRate?.id,
  };
}

type PricedItem = Omit<NewSessionItem, 'taxed' | 'discount'> & { currency: Currency; tax: TaxRule | null };

function taxableLine({ amount, quantity, tax }: PricedItem): TaxableLine {
  return { amount: new Decimal(amount), quantity, tax };
}

/** Uses the item's own amount or else its price's, and the session's tax rate or else its plan's. */
async function priceItem(
  tx: DatabaseTransaction,
  request: { app: App; item: CheckoutItemInput; path: string; sessionRate: TaxRate | null },
): Promise<PricedItem> {
  const { app, item, path, sessionRate } = request;
  const named = await requirePlanPrice(tx, {
    appId: app.id,
    productPlanId: item.productPlanId,
    productPlanPriceId: item.productPlanPriceId,
    path,
  });
  if (item.amount && named?.price) {
    throw invalid([
      {
        param: `${path}amount`,
        message: 'cannot be combined with productPlanPriceId: the price determines the amount',
      },
    ]);
  }
  const amount = item.amount ?? named?.price?.amount.toFixed(2);
  if (amount === undefined) {
    throw invalid([{ param: `${path}amount`, message: 'is required without productPlanPriceId' }]);
  }
  const planRate = named?.plan.taxRate?.isActive ? named.plan.taxRate : null;
  const rate = sessionRate ?? planRate;
  return {
    name: item.name,
    description: item.description ?? null,
    amount,
    quantity: item.quantity ?? 1,
    tax: taxRuleOf(rate),
    productPlanId: item.productPlanId ?? null,
    productPlanPriceId: item.productPlanPriceId ?? null,
    currency: item.currency ?? currencyOf(named?.price?.currency ?? 'USD'),
  };
}

async function requirePayableIntent(
  tx: DatabaseTransaction,
  request: { appId: string; id: string; now: Date },
): Promise<PaymentIntent> {
  const intent = await tx.paymentIntent.findFirst({ where: { id: request.id, appId: request.appId } });
  if (!intent) throw notFound('payment intent', 'paymentIntentId');
  if (intent.sourceType === 'SUBSCRIPTION') {
    throw new GatewayError('INVALID_STATE', 'The payment intent is paid in the checkout of its subscription.', {
      param: 'paymentIntentId',
    });
  }
  requireNoPaidCall(intent, { param: 'paymentIntentId' });
  if (intent.status !== 'CREATED') {
    throw new GatewayError(
      'INVALID_STATE',
      `The payment intent is ${intent.status}. Only a CREATED payment intent can be paid.`,
      {
        param: 'paymentIntentId',
      },
    );
  }
  if (intent.expiresAt !== null && intent.expiresAt <= request.now) {
    throw new GatewayError('EXPIRED', 'The payment intent has expired.', { param: 'paymentIntentId' });
  }
  return intent;
}
