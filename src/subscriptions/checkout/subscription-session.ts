/**
 * The session that starts a subscription, for the price of its first period, or with nothing to pay yet if it starts with a
 * trial.
 */
import { Decimal } from 'decimal.js';
import type {
  App,
  PaymentIntent,
  ProductPlan,
  ProductPlanPrice,
  Subscription,
  TaxRate,
} from '../../../prisma/client.ts';
import { type Discount, type DiscountedLine, discountLine } from '../../catalog/coupons/discount.ts';
import { type TaxedTotal, taxTotal } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import { readSelection } from '../../chains/chain-selection.ts';
import type { NewCheckoutSession } from '../../checkout/open-checkout-session.ts';
import { GatewayError } from '../../errors.ts';
import { currencyOf } from '../../prices/money.ts';
import { isDiscounted, nextDiscount, type SubscriptionDiscount } from '../discount/subscription-discount.ts';

export type PlanWithRate = ProductPlan & { taxRate: TaxRate | null };

export type SubscriptionSessionOptions = Partial<
  Pick<NewCheckoutSession, 'uiMode' | 'successUrl' | 'cancelUrl' | 'metadata'>
> & { expiresInMinutes?: number | null | undefined };

/** The cost of one period: the price after the discount, taxed at its plan's rate while that rate is active. */
export function periodPrice(
  plan: PlanWithRate,
  price: Pick<ProductPlanPrice, 'amount'>,
  discount: Discount | null,
): DiscountedLine & { rate: TaxRate | null; total: TaxedTotal } {
  const rate = plan.taxRate?.isActive ? plan.taxRate : null;
  const line = { amount: new Decimal(price.amount.toString()), quantity: 1, tax: taxRuleOf(rate) };
  const discounted = discountLine(line, discount);
  return { rate, ...discounted, total: taxTotal([discounted.taxed]) };
}

/** What a session sells that shows the price of one period: the plan, with the subscription's coupon and the plan's tax. */
export function soldForPeriod(
  subscription: Pick<Subscription, 'couponId'> & SubscriptionDiscount,
  { plan, price }: { plan: PlanWithRate; price: ProductPlanPrice },
): Pick<NewCheckoutSession, 'currency' | 'total' | 'taxRateId' | 'couponId' | 'items'> {
  const { rate, discount, taxed, total } = periodPrice(plan, price, nextDiscount(subscription));
  return {
    currency: currencyOf(price.currency),
    total,
    taxRateId: rate?.id,
    couponId: isDiscounted(subscription) ? subscription.couponId : null,
    items: [
      {
        name: plan.name,
        description: plan.description,
        amount: price.amount.toFixed(2),
        quantity: 1,
        discount,
        taxed,
        productPlanId: plan.id,
        productPlanPriceId: price.id,
      },
    ],
  };
}

/** Whether the first charge is made later: after a trial, or, without a base fee, when the usage of the first period is charged. */
export function beginsUnpaid(price: Pick<ProductPlanPrice, 'trialPeriodDays' | 'amount'>): boolean {
  return (price.trialPeriodDays ?? 0) > 0 || price.amount.isZero();
}

/**
 * `intent` is the subscription's intent if one can still be paid. `source` is what opens the session, if not the subscription. The
 * redemption of the coupon belongs to the subscription. Throws INVALID_STATE for a coupon that leaves nothing to pay, because the
 * price has changed since it was redeemed.
 */
export function subscriptionSession(request: {
  app: App;
  subscription: Subscription & SubscriptionDiscount;
  plan: PlanWithRate;
  price: ProductPlanPrice;
  intent: PaymentIntent | null;
  now: Date;
  expiresAt: Date;
  options: Omit<SubscriptionSessionOptions, 'expiresInMinutes'>;
  source?: NewCheckoutSession['source'];
}): NewCheckoutSession {
  const { app, subscription, plan, price, intent, now, expiresAt, options } = request;
  const sold = soldForPeriod(subscription, { plan, price });
  if (sold.total.total.isZero() && !beginsUnpaid(price)) {
    throw new GatewayError('INVALID_STATE', "The subscription's coupon leaves nothing to pay for the first period.");
  }
  const ofSubscription = { type: 'SUBSCRIPTION', id: subscription.id } as const;
  return {
    app,
    now,
    expiresAt,
    mode: 'SUBSCRIPTION',
    uiMode: options.uiMode,
    payment: firstPayment(price, intent),
    source: request.source ?? ofSubscription,
    intentSource: ofSubscription,
    subscriptionId: subscription.id,
    customerAccountId: subscription.customerAccountId,
    ...sold,
    selection: readSelection(subscription),
    successUrl: options.successUrl,
    cancelUrl: options.cancelUrl,
    metadata: options.metadata,
  };
}

function firstPayment(price: ProductPlanPrice, intent: PaymentIntent | null): NewCheckoutSession['payment'] {
  if (beginsUnpaid(price)) return { kind: 'none' };
  return intent ? { kind: 'existing', intent } : { kind: 'new', captureMode: 'AUTOMATIC' };
}
