/** What renewing needs from the world, and a subscription with everything that a renewal asks of it. */
import type { Prisma, ProductPlan, ProductPlanPrice, TaxRate } from '../../../prisma/client.ts';
import type { Log } from '../../platform/log.ts';
import type { ChargeWorld } from '../charge/prepare-charge.ts';

export type RenewalWorld = ChargeWorld & { log: Log };

export const renewalIncludes = {
  app: true,
  productPlan: { include: { taxRate: true } },
  productPlanPrice: true,
  nextPlanPrice: { include: { productPlan: { include: { taxRate: true } } } },
  consent: true,
} as const satisfies Prisma.SubscriptionInclude;

export type RenewableSubscription = Prisma.SubscriptionGetPayload<{ include: typeof renewalIncludes }>;

export type SoldPrice = { plan: ProductPlan & { taxRate: TaxRate | null }; price: ProductPlanPrice };

/** What the next period is sold for: a change of plan that waited for the period's end counts. */
export function nextPrice(subscription: RenewableSubscription): SoldPrice {
  const { nextPlanPrice } = subscription;
  if (nextPlanPrice) return { plan: nextPlanPrice.productPlan, price: nextPlanPrice };
  return { plan: subscription.productPlan, price: subscription.productPlanPrice };
}
