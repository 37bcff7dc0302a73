/** What renewals need, and a subscription with everything that a renewal reads. */
import type {
  BillingInterval,
  Invoice,
  PaymentIntent,
  Prisma,
  ProductPlan,
  ProductPlanPrice,
  TaxRate,
} from '../../../prisma/client.ts';
import type { Log } from '../../platform/log.ts';
import type { ChargeWorld } from '../charge/prepare-charge.ts';

export type RenewalWorld = ChargeWorld & { log: Log };

export const renewalIncludes = {
  app: true,
  productPlan: { include: { taxRate: true } },
  productPlanPrice: true,
  nextPlanPrice: { include: { productPlan: { include: { taxRate: true } } } },
  consent: true,
  coupon: true,
} as const satisfies Prisma.SubscriptionInclude;

export type RenewableSubscription = Prisma.SubscriptionGetPayload<{ include: typeof renewalIncludes }>;

/** A renewal that is due, with its open invoice and the intent that pays it; `consent` is the subscription's. */
export type DueRenewal = {
  subscription: RenewableSubscription;
  consent: RenewableSubscription['consent'];
  invoice: Invoice;
  intent: PaymentIntent;
};

export type SoldPrice = { plan: ProductPlan & { taxRate: TaxRate | null }; price: ProductPlanPrice };

/** The plan and price of the next period, including a plan change scheduled for the period's end. */
export function nextPrice(
  subscription: Pick<RenewableSubscription, 'productPlan' | 'productPlanPrice' | 'nextPlanPrice'>,
): SoldPrice {
  const { nextPlanPrice } = subscription;
  if (nextPlanPrice) return { plan: nextPlanPrice.productPlan, price: nextPlanPrice };
  return { plan: subscription.productPlan, price: subscription.productPlanPrice };
}

/** The length of a price's periods; prices of SUBSCRIPTION plans always have an interval. */
export function intervalOf({ plan, price }: SoldPrice): { interval: BillingInterval; count: number } {
  if (price.billingInterval === null) throw new Error(`Price ${price.id} of plan ${plan.id} has no interval.`);
  return { interval: price.billingInterval, count: price.billingIntervalCount };
}
