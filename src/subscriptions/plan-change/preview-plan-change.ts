import type { Decimal } from 'decimal.js';
import type { Database } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Registry } from '../../chains/registry.ts';
import { notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import { nextDiscount } from '../discount/subscription-discount.ts';
import { nextPeriod } from '../renewal/next-period.ts';
import { type RenewalLine, renewalBill } from '../renewal/renewal-lines.ts';
import { intervalOf, renewalIncludes } from '../renewal/renewal-world.ts';
import { readChangeRates } from './change-rates.ts';
import { type PlanChange, planChange } from './plan-change.ts';

/** Amounts in the currency of the price. */
export type PlanChangePreview = {
  /** When the new price takes effect; null if nothing changes. */
  effectiveAt: Date | null;
  /** Whether the rest of the current period is credited and charged again. */
  isProrated: boolean;
  /** When the next invoice is due. */
  nextChargeAt: Date | null;
  lines: RenewalLine[];
  subtotal: Decimal;
  taxAmount: Decimal;
  total: Decimal;
  /** What the subscription's coupon takes off the lines; the other amounts are after it. */
  discountAmount: Decimal;
  currency: string;
  /** Credit that the next invoice could not use up, including tax. */
  carriedCredit: Decimal | null;
};

/**
 * What `changeSubscriptionPlan` would do now, and the resulting next invoice. Writes nothing; throws the errors of the change.
 */
export async function previewPlanChange(
  world: { database: Database; clock: Clock; registry: Registry; prices: PriceBook },
  request: { scope: Scope; id: string; change: PlanChange },
): Promise<PlanChangePreview> {
  const { database, clock } = world;
  const subscription = await database.subscription.findFirst({
    where: { id: request.id, ...appScope(request.scope) },
    include: renewalIncludes,
  });
  if (!subscription) throw notFound('subscription');
  const rates = await readChangeRates(world, request);
  const now = clock.now();
  const planned = await planChange(database, { subscription, change: request.change, rates, now });
  const { sold, effect, added, adjustments } = planned;
  const { currentPeriodEnd: dueAt, billingCycleAnchor: anchor } = subscription;
  const end = dueAt ?? now;
  const cycle = { anchor, ...intervalOf(sold) };
  const period = nextPeriod(cycle, { currentPeriodEnd: end, chargeableFrom: new Date(0) });
  const discount = nextDiscount(subscription);
  const { lines, total, discountAmount, carried } = renewalBill({ sold, period, adjustments, discount });
  return {
    effectiveAt: effect === 'NONE' ? null : effect === 'NOW' ? now : dueAt,
    isProrated: added.length > 0,
    nextChargeAt: dueAt,
    lines,
    ...total,
    discountAmount,
    currency: sold.price.currency,
    carriedCredit: carried === null ? null : carried.gross,
  };
}
