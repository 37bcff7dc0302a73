/** The effects of changing a subscription's price, validated and calculated before anything is written. */
import { Decimal } from 'decimal.js';
import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import { requirePlanPrice } from '../../catalog/require-plan-price.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import { GatewayError, invalid, notFound } from '../../errors.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { type Adjustment, periodName } from '../renewal/renewal-lines.ts';
import type { RenewableSubscription, SoldPrice } from '../renewal/renewal-world.ts';
import { type ChangeRates, requireWithinCap } from './change-rates.ts';
import { fitsConsent } from './consent-fit.ts';
import { paidLine, reducedBy } from './paid-line.ts';
import { prorate } from './proration.ts';

export type PlanChange = {
  productPlanPriceId: string;
  /** The price's plan by default. */
  productPlanId?: string | null | undefined;
};

export type PlannedChange = {
  sold: SoldPrice;
  /** NONE: it is the current price, and a scheduled change is reverted. */
  effect: 'NONE' | 'NOW' | 'PERIOD_END';
  /** New lines of the next invoice. */
  added: Adjustment[];
  /** All lines of the next invoice besides its period: the new ones, and those of earlier changes. */
  adjustments: Adjustment[];
};

type Reader = Database | DatabaseTransaction;

/** Reads only. Throws as `changeSubscriptionPlan` does. */
export async function planChange(
  tx: Reader,
  request: { subscription: RenewableSubscription; change: PlanChange; rates: ChangeRates; now: Date },
): Promise<PlannedChange> {
  const { subscription, rates, now } = request;
  const { id, productPlanPrice: current } = subscription;
  const sold = await requireSold(tx, request);
  await requireChangeable(tx, subscription);
  const waiting = await tx.subscriptionAdjustment.findMany({ where: { subscriptionId: id, invoiceId: null } });
  if (sold.price.id === current.id) return { sold, effect: 'NONE', added: [], adjustments: waiting };
  requireConsent(subscription, sold);
  const isTrial = subscription.trialEnd !== null && subscription.trialEnd > now;
  const isSameInterval =
    sold.price.billingInterval === current.billingInterval &&
    sold.price.billingIntervalCount === current.billingIntervalCount;
  const added = isSameInterval && !isTrial ? await addedLines(tx, { subscription, sold, now }) : [];
  const adjustments = [...waiting, ...added];
  // Usage above the cap is charged by an invoice of its own.
  const ofPlans = [...waiting.filter(({ usage }) => usage === null), ...added];
  requireWithinCap(rates, { subscription, sold, adjustments: ofPlans });
  return { sold, effect: isSameInterval || isTrial ? 'NOW' : 'PERIOD_END', added, adjustments };
}

async function requireSold(
  tx: Reader,
  { subscription, change }: { subscription: RenewableSubscription; change: PlanChange },
): Promise<SoldPrice> {
  const { appId, productPlanPrice } = subscription;
  const { productPlanPriceId } = change;
  const named =
    change.productPlanId ??
    (
      await tx.productPlanPrice.findFirst({
        where: { id: productPlanPriceId, productPlan: { appId } },
        select: { productPlanId: true },
      })
    )?.productPlanId;
  if (named === undefined) throw notFound('price', 'productPlanPriceId');
  const found = await requirePlanPrice(tx, { appId, productPlanId: named, productPlanPriceId });
  const { plan, price } = found ?? {};
  if (!plan || !price) throw notFound('price', 'productPlanPriceId');
  if (plan.planType !== 'SUBSCRIPTION' || price.billingInterval === null) {
    throw invalid([{ param: 'productPlanPriceId', message: 'is not a price of a SUBSCRIPTION plan' }]);
  }
  if (price.currency !== productPlanPrice.currency) {
    const message = `is in ${price.currency}; the subscription is charged in ${productPlanPrice.currency}`;
    throw invalid([{ param: 'productPlanPriceId', message }]);
  }
  return { plan, price };
}

async function requireChangeable(tx: Reader, subscription: RenewableSubscription): Promise<void> {
  const { id, status } = subscription;
  if (status !== 'ACTIVE') {
    throw new GatewayError(
      'INVALID_STATE',
      `The subscription is ${status}. Only the plan of an ACTIVE subscription can be changed.`,
    );
  }
  const unpaid = await tx.invoice.findFirst({
    where: {
      subscriptionId: id,
      usageReason: null,
      OR: [{ status: { in: ['OPEN', 'PAST_DUE'] } }, { renewalAttempts: { some: { status: 'PENDING' } } }],
    },
    select: { id: true, invoiceNumber: true },
  });
  if (!unpaid) return;
  throw new GatewayError('INVALID_STATE', `Invoice ${unpaid.invoiceNumber ?? unpaid.id} is not paid yet.`, {
    meta: { invoiceId: unpaid.id },
  });
}

function requireConsent({ consent }: RenewableSubscription, { price }: SoldPrice): void {
  if (!consent || price.billingInterval === null) return;
  const wanted = { interval: price.billingInterval, count: price.billingIntervalCount };
  if (fitsConsent(consentFromJson(consent.consent), wanted)) return;
  throw new GatewayError(
    'INVALID_STATE',
    'The payer has signed for a longer interval between charges. A shorter interval requires a new subscription.',
  );
}

/** The lines that the change adds to the next invoice. */
async function addedLines(
  tx: Reader,
  request: { subscription: RenewableSubscription; sold: SoldPrice; now: Date },
): Promise<Adjustment[]> {
  const { subscription, sold, now } = request;
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  if (start === null || end === null) return [];
  const from = await paidLine(tx, subscription);
  const rate = sold.plan.taxRate?.isActive ? sold.plan.taxRate : null;
  // A coupon that reduced the period reduces the rest of it at the new price as well.
  const to = { amount: reducedBy(from.discount, new Decimal(sold.price.amount.toString())), tax: taxRuleOf(rate) };
  const { credit, charge } = prorate({ from, to, period: { start, end }, now });
  const days = `${now.toISOString().slice(0, 10)} to ${end.toISOString().slice(0, 10)}`;
  return [
    {
      ...credit,
      description: `Unused time of ${periodName(from.sold)}, ${days}`,
      taxRateId: from.taxRateId,
      taxInclusive: from.tax?.inclusive ?? false,
      productPlanId: from.sold.plan.id,
      productPlanPriceId: from.sold.price.id,
    },
    {
      ...charge,
      description: `Rest of the period at ${periodName(sold)}, ${days}`,
      taxRateId: rate?.id ?? null,
      taxInclusive: rate?.inclusive ?? false,
      productPlanId: sold.plan.id,
      productPlanPriceId: sold.price.id,
    },
  ].filter((line) => !line.amount.isZero());
}
