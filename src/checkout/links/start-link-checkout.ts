import { Decimal } from 'decimal.js';
import type { App, Database, DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import type { Scope } from '../../auth/principal.ts';
import type { TaxableLine } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import { readSelection } from '../../chains/chain-selection.ts';
import { customerFields } from '../../customers/customer.ts';
import { GatewayError, invalid, notFound } from '../../errors.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../../platform/idempotency/sealed.ts';
import { newId } from '../../platform/identifier.ts';
import { type Currency, isCurrency } from '../../prices/money.ts';
import { LARGEST_TOTAL, type SessionWithItems, sessionExpiry } from '../checkout-session.ts';
import { type NewCheckoutSession, openCheckoutSession } from '../open-checkout-session.ts';
import {
  type BillingDetails,
  billingFaults,
  linkPrice,
  linkQuantity,
  type StartLinkCheckoutInput,
} from './link-checkout.ts';
import { type LinkDiscount, redeemOnLink } from './link-coupon.ts';
import { reserveStock } from './link-stock.ts';

/** Identifies a link by its slug for a payer, or by its id for its merchant. */
export type LinkName = { slug: string } | { id: string; scope: Scope };

/** The options that a merchant may set on a session of a link; a payer cannot. */
export type LinkSessionOptions = Partial<
  Pick<NewCheckoutSession, 'uiMode' | 'successUrl' | 'cancelUrl' | 'metadata'>
> & {
  expiresInMinutes?: number | null | undefined;
  customerAccountId?: string | null | undefined;
  couponId?: string | null | undefined;
};

const toPay = {
  app: true,
  taxRate: true,
  coupon: true,
  productPlanPrice: true,
  productPlan: { include: { taxRate: true } },
} as const satisfies Prisma.PaymentLinkInclude;
type LinkToPay = Prisma.PaymentLinkGetPayload<{ include: typeof toPay }>;

/** Returns the link even if it does not accept payments. Throws NOT_FOUND. */
export async function findLink(database: Database | DatabaseTransaction, name: LinkName): Promise<LinkToPay> {
  const where = 'slug' in name ? { slug: name.slug } : { id: name.id, ...appScope(name.scope) };
  const link = await database.paymentLink.findFirst({ where, include: toPay });
  if (!link) throw notFound('payment link', 'slug' in name ? undefined : 'paymentLinkId');
  return link;
}

/**
 * Starts a checkout session with its payment intent from a link; billing details create a customer. Links to a SUBSCRIPTION plan are
 * started by `start-link-subscription.ts`. Throws NOT_FOUND; INVALID_STATE for a link that does not accept payments; VALIDATION_ERROR for
 * an amount, quantity or billing details that do not fit the link; CONFLICT if the stock is insufficient or a limit of the coupon is
 * reached; and the errors of `redeemOnLink`. Appends `customer.created` and `payment_intent.created`.
 */
export async function startLinkCheckout(
  world: { database: Database; clock: Clock },
  request: {
    link: LinkName;
    input: StartLinkCheckoutInput;
    options?: LinkSessionOptions;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<{ session: SessionWithItems; clientSecret: string }> {
  type Answer = { session: SessionWithItems; clientSecret: string };
  const { idempotency, input } = request;
  const reveal = (answer: Answer) => ({ ...answer, clientSecret: unsealed(idempotency, answer.clientSecret) });
  const stored = await idempotently<Answer>(world.database, idempotency, (write) =>
    write(async (tx) => {
      const link = await findLink(tx, request.link);
      const options = request.options ?? {};
      const now = world.clock.now();
      const sold = soldByLink({ link, input, options });
      await reserveStock(tx, { linkId: link.id, quantity: sold.line.quantity });
      const made = input.billingDetails ? await makeCustomer(tx, link.app, input.billingDetails) : null;
      const customerAccountId = options.customerAccountId ?? made?.id;
      // A link creates a new customer for each payer, so limits per customer can only compare email addresses.
      const isKnown = Boolean(options.customerAccountId ?? input.billingDetails?.email);
      const discounted = await redeemOnLink(tx, {
        ...sold,
        link,
        now,
        named: { couponId: options.couponId, couponCode: input.couponCode },
        isPayer: 'slug' in request.link,
        customerAccountId: isKnown ? customerAccountId : null,
      });
      const planned = planLinkSession({ link, sold, discounted, options, customerAccountId, now });
      const opened = await openCheckoutSession(tx, planned);
      const events: NewEvent[] = made ? [made.event, ...opened.events] : opened.events;
      await appendEvents(tx, link.appId, events);
      return { session: opened.session, clientSecret: sealed(idempotency, opened.clientSecret) };
    }),
  );
  return reveal(stored);
}

type SoldByLink = { line: TaxableLine; currency: Currency; taxRateId: string | undefined };

/** What the payer buys, before any discount. */
function soldByLink(request: {
  link: LinkToPay;
  input: StartLinkCheckoutInput;
  options: LinkSessionOptions;
}): SoldByLink {
  const { link, input, options } = request;
  if (!link.isActive) throw new GatewayError('INVALID_STATE', 'The payment link does not accept payments.');
  const price = linkPrice(
    {
      amount: link.amount?.toFixed(2) ?? null,
      currency: link.currency,
      price: link.productPlanPrice && {
        amount: link.productPlanPrice.amount.toFixed(2),
        currency: link.productPlanPrice.currency,
      },
    },
    input,
  );
  const quantity = linkQuantity(link, input.quantity);
  const faults = [
    ...(Array.isArray(price) ? price : []),
    ...(Array.isArray(quantity) ? quantity : []),
    ...(options.customerAccountId ? [] : billingFaults(link.requireBillingDetails, input.billingDetails)),
  ];
  if (Array.isArray(price) || Array.isArray(quantity) || faults.length > 0) throw invalid(faults);
  if (!isCurrency(price.currency)) throw invalid([{ param: 'currency', message: 'must be USD or EUR' }]);
  const planRate = link.productPlan?.taxRate?.isActive ? link.productPlan.taxRate : null;
  const rate = link.taxRate ?? planRate;
  const line = { amount: new Decimal(price.amount), quantity, tax: taxRuleOf(rate) };
  return { line, currency: price.currency, taxRateId: rate?.id };
}

function planLinkSession(request: {
  link: LinkToPay;
  sold: SoldByLink;
  discounted: LinkDiscount;
  options: LinkSessionOptions;
  customerAccountId: string | null | undefined;
  now: Date;
}): NewCheckoutSession {
  const { link, sold, discounted, options, customerAccountId, now } = request;
  const { discount, taxed, total, coupon } = discounted;
  const { quantity } = sold.line;
  if (total.total.gt(LARGEST_TOTAL)) {
    const message = `makes a total of ${total.total.toFixed(2)}; at most ${LARGEST_TOTAL.toFixed(2)}`;
    throw invalid([{ param: 'quantity', message }]);
  }
  return {
    app: link.app,
    now,
    expiresAt: sessionExpiry(now, options.expiresInMinutes),
    uiMode: options.uiMode,
    payment: { kind: 'new' },
    source: { type: 'PAYMENT_LINK', id: link.id },
    customerAccountId,
    currency: sold.currency,
    total,
    taxRateId: sold.taxRateId,
    couponId: coupon?.id ?? null,
    items: [
      {
        name: link.productPlan?.name ?? link.name,
        description: link.productPlan?.description ?? link.description,
        amount: sold.line.amount.toFixed(2),
        quantity,
        discount,
        taxed,
        productPlanId: link.productPlanId,
        productPlanPriceId: link.productPlanPriceId,
      },
    ],
    reservedQuantity: quantity,
    selection: readSelection(link),
    successUrl: options.successUrl ?? link.successUrl,
    cancelUrl: options.cancelUrl ?? link.cancelUrl,
    metadata: options.metadata ?? undefined,
  };
}

/** Creates a customer from the billing details that a payer entered. */
export async function makeCustomer(
  tx: DatabaseTransaction,
  app: App,
  details: BillingDetails,
): Promise<{ id: string; event: NewEvent }> {
  const customer = await tx.customerAccount.create({ data: { id: newId(), appId: app.id, ...details } });
  return {
    id: customer.id,
    event: { type: 'customer.created', resourceId: customer.id, data: customerFields(customer) },
  };
}
