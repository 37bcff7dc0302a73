import { Decimal } from 'decimal.js';
import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import { holdRedemption } from '../../catalog/coupons/redemption.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import { readSelection } from '../../chains/chain-selection.ts';
import { type SessionWithItems, sessionExpiry } from '../../checkout/checkout-session.ts';
import {
  billingFaults,
  linkPrice,
  linkQuantity,
  type StartLinkCheckoutInput,
} from '../../checkout/links/link-checkout.ts';
import { redeemOnLink } from '../../checkout/links/link-coupon.ts';
import {
  findLink,
  type LinkName,
  type LinkSessionOptions,
  makeCustomer,
} from '../../checkout/links/start-link-checkout.ts';
import { openCheckoutSession } from '../../checkout/open-checkout-session.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../../platform/idempotency/sealed.ts';
import { newId } from '../../platform/identifier.ts';
import { couponColumns } from '../discount/redeem-for-subscription.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { defaultPrice } from './default-price.ts';
import { beginsUnpaid, subscriptionSession } from './subscription-session.ts';

type Link = Awaited<ReturnType<typeof findLink>>;
type Answer = { session: SessionWithItems; clientSecret: string };

/**
 * Starts a subscription from a link to a SUBSCRIPTION plan: the customer (identified by the email address that the payer must
 * enter, or given by the merchant), a PENDING subscription, and its first session. The subscription redeems the coupon that is
 * named, or else the link's own. Appends `customer.created`, `subscription.created` and `payment_intent.created`. Throws
 * NOT_FOUND; INVALID_STATE for a link that does not accept payments; VALIDATION_ERROR for input that does not fit the link; and
 * what `redeemOnLink` throws.
 */
export async function startLinkSubscription(
  world: { database: Database; clock: Clock },
  request: {
    link: LinkName;
    input: StartLinkCheckoutInput;
    options?: LinkSessionOptions;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<Answer> {
  const { idempotency, input } = request;
  const options = request.options ?? {};
  const reveal = (answer: Answer) => ({ ...answer, clientSecret: unsealed(idempotency, answer.clientSecret) });
  const stored = await idempotently<Answer>(world.database, idempotency, (write) =>
    write(async (tx) => {
      const link = await findLink(tx, request.link);
      const sold = await soldBy(tx, { link, input, options });
      const now = world.clock.now();
      const { customerAccountId, events } = await payerOf(tx, { link, input, options });
      const { coupon } = await redeemOnLink(tx, {
        link,
        line: { amount: new Decimal(sold.price.amount.toFixed(2)), quantity: 1, tax: sold.tax },
        currency: sold.price.currency,
        now,
        mayBeFree: beginsUnpaid(sold.price),
        named: { couponId: options.couponId, couponCode: input.couponCode },
        isPayer: 'slug' in request.link,
        customerAccountId,
      });
      const subscription = await tx.subscription.create({
        data: {
          id: newId(),
          appId: link.appId,
          customerAccountId,
          productPlanId: sold.plan.id,
          productPlanPriceId: sold.price.id,
          ...couponColumns(coupon),
          maxCaptureRetries: link.app.subscriptionCaptureRetries,
          ...readSelection(link),
        },
        include: { coupon: true },
      });
      if (coupon) {
        await holdRedemption(tx, { couponId: coupon.id, subscriptionId: subscription.id, customerAccountId });
      }
      const made: NewEvent = {
        type: 'subscription.created',
        resourceId: subscription.id,
        data: subscriptionFields(subscription),
      };
      const session = subscriptionSession({
        ...sold,
        app: link.app,
        subscription,
        intent: null,
        now,
        expiresAt: sessionExpiry(now, options.expiresInMinutes),
        options: {
          ...options,
          successUrl: options.successUrl ?? link.successUrl,
          cancelUrl: options.cancelUrl ?? link.cancelUrl,
        },
        source: { type: 'PAYMENT_LINK', id: link.id },
      });
      const opened = await openCheckoutSession(tx, session);
      await appendEvents(tx, link.appId, [...events, made, ...opened.events]);
      return { session: opened.session, clientSecret: sealed(idempotency, opened.clientSecret) };
    }),
  );
  return reveal(stored);
}

/** The link's plan and price, or else the plan's default price. Taxed at the plan's rate, like every later period. */
async function soldBy(
  tx: DatabaseTransaction,
  request: { link: Link; input: StartLinkCheckoutInput; options: LinkSessionOptions },
) {
  const { link, input, options } = request;
  if (!link.isActive) throw new GatewayError('INVALID_STATE', 'The payment link does not accept payments.');
  if (!link.productPlan) throw new Error('A link without a plan starts no subscription.');
  const price = link.productPlanPrice ?? (await defaultPrice(tx, link.productPlan.id));
  const { currency } = price;
  const checkedPrice = linkPrice(
    { amount: null, currency, price: { amount: price.amount.toFixed(2), currency } },
    input,
  );
  const quantity = linkQuantity(link, input.quantity);
  const faults = [...(Array.isArray(checkedPrice) ? checkedPrice : []), ...(Array.isArray(quantity) ? quantity : [])];
  if (!options.customerAccountId) {
    const missing = billingFaults(link.requireBillingDetails, input.billingDetails);
    if (missing.length === 0 && !input.billingDetails?.email) {
      missing.push({ param: 'billingDetails.email', message: 'is required for a subscription' });
    }
    faults.push(...missing);
  }
  if (faults.length > 0) throw invalid(faults);
  const { productPlan: plan } = link;
  return { plan, price, tax: taxRuleOf(plan.taxRate?.isActive ? plan.taxRate : null) };
}

async function payerOf(
  tx: DatabaseTransaction,
  request: { link: Link; input: StartLinkCheckoutInput; options: LinkSessionOptions },
): Promise<{ customerAccountId: string; events: NewEvent[] }> {
  const { link, input, options } = request;
  if (options.customerAccountId) return { customerAccountId: options.customerAccountId, events: [] };
  const made = await makeCustomer(tx, link.app, input.billingDetails ?? {});
  return { customerAccountId: made.id, events: [made.event] };
}
