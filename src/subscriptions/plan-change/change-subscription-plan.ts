import { Decimal } from 'decimal.js';
import { type Database, type DatabaseTransaction, type Prisma, transaction } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { requirePlanPrice } from '../../catalog/require-plan-price.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import type { Registry } from '../../chains/registry.ts';
import { GatewayError, invalid, notFound } from '../../errors.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import type { Clock } from '../../platform/clock.ts';
import { firstAnswer } from '../../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { once } from '../../platform/idempotency/once.ts';
import { newId } from '../../platform/identifier.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import { periodName } from '../renewal/renewal-lines.ts';
import type { RenewableSubscription, SoldPrice } from '../renewal/renewal-world.ts';
import { lockRenewable } from '../renewal/store.ts';
import { lockOwnSubscription } from '../store.ts';
import { type ChangeRates, readChangeRates, requireWithinCap } from './change-rates.ts';
import { fitsConsent } from './consent-fit.ts';
import { paidLine } from './paid-line.ts';
import { prorate } from './proration.ts';

const shown = { productPlan: true, productPlanPrice: true } as const satisfies Prisma.SubscriptionInclude;
export type ChangedSubscription = Prisma.SubscriptionGetPayload<{ include: typeof shown }>;

export type PlanChange = {
  productPlanPriceId: string;
  /** Default: the plan that the price is of. */
  productPlanId?: string | null | undefined;
};

type ChangeWorld = { database: Database; clock: Clock; registry: Registry; prices: PriceBook };

/**
 * Changes the price that an ACTIVE subscription is renewed at. A price of the same interval counts from now: the rest of
 * the period is given back at the old price and charged at the new one, both on the next invoice. One of another interval
 * counts from the end of the period (`nextPlanPriceId`), without proration; during a trial any price counts from now. The
 * same price again changes nothing, and takes back a change that waits.
 *
 * Throws NOT_FOUND with `param`; VALIDATION_ERROR for an archived price, another currency or a plan that is not a
 * subscription; INVALID_STATE while it is not ACTIVE or a payment is under way, and where the consent that the payer
 * signed does not cover it (its cap, or a shorter interval): that needs a new subscription. PRICE_UNAVAILABLE.
 */
export async function changeSubscriptionPlan(
  world: ChangeWorld,
  request: { scope: Scope; id: string; change: PlanChange; idempotency?: IdempotencyRequest | undefined },
): Promise<ChangedSubscription> {
  const first = await firstAnswer<ChangedSubscription>(world.database, request.idempotency);
  if (first) return first.result;
  const rates = await readChangeRates(world, request);
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => {
      const { id } = await lockOwnSubscription(tx, request);
      const subscription = await lockRenewable(tx, id);
      if (!subscription) throw notFound('subscription');
      const sold = await requireSold(tx, { subscription, change: request.change });
      await requireChangeable(tx, subscription);
      const now = world.clock.now();
      await applyChange(tx, { subscription, sold, rates, now });
      return await tx.subscription.findUniqueOrThrow({ where: { id }, include: shown });
    }),
  );
  return result;
}

async function requireSold(
  tx: DatabaseTransaction,
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

async function requireChangeable(tx: DatabaseTransaction, subscription: RenewableSubscription): Promise<void> {
  const { id, status } = subscription;
  if (status !== 'ACTIVE') {
    throw new GatewayError('INVALID_STATE', `The subscription is ${status}; only the plan of an ACTIVE one changes.`);
  }
  const unpaid = await tx.invoice.findFirst({
    where: {
      subscriptionId: id,
      OR: [{ status: { in: ['OPEN', 'PAST_DUE'] } }, { renewalAttempts: { some: { status: 'PENDING' } } }],
    },
    select: { id: true, invoiceNumber: true },
  });
  if (!unpaid) return;
  throw new GatewayError('INVALID_STATE', `Invoice ${unpaid.invoiceNumber ?? unpaid.id} is not paid yet.`, {
    meta: { invoiceId: unpaid.id },
  });
}

async function applyChange(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; sold: SoldPrice; rates: ChangeRates; now: Date },
): Promise<void> {
  const { subscription, sold, rates, now } = request;
  const { id, productPlanPrice: current } = subscription;
  if (sold.price.id === current.id) {
    await tx.subscription.update({ where: { id }, data: { nextPlanPriceId: null } });
    return;
  }
  requireConsent(subscription, sold);
  const isTrial = subscription.trialEnd !== null && subscription.trialEnd > now;
  const isSameInterval =
    sold.price.billingInterval === current.billingInterval &&
    sold.price.billingIntervalCount === current.billingIntervalCount;
  if (isSameInterval && !isTrial) await owe(tx, request);
  const waiting = await tx.subscriptionAdjustment.findMany({ where: { subscriptionId: id, invoiceId: null } });
  requireWithinCap(rates, { subscription, sold, adjustments: waiting });
  if (!isSameInterval && !isTrial) {
    await tx.subscription.update({ where: { id }, data: { nextPlanPriceId: sold.price.id } });
    return;
  }
  await tx.subscription.update({
    where: { id },
    data: { productPlanId: sold.plan.id, productPlanPriceId: sold.price.id, nextPlanPriceId: null },
  });
}

function requireConsent({ consent }: RenewableSubscription, { price }: SoldPrice): void {
  if (!consent || price.billingInterval === null) return;
  const wanted = { interval: price.billingInterval, count: price.billingIntervalCount };
  if (fitsConsent(consentFromJson(consent.consent), wanted)) return;
  throw new GatewayError(
    'INVALID_STATE',
    'The payer has signed for charges that are further apart; the shorter interval needs a new subscription.',
  );
}

/** The lines that the change puts on the next invoice. */
async function owe(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; sold: SoldPrice; now: Date },
): Promise<void> {
  const { subscription, sold, now } = request;
  const { id, currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  if (start === null || end === null) return;
  const from = await paidLine(tx, subscription);
  const rate = sold.plan.taxRate?.isActive ? sold.plan.taxRate : null;
  const to = { amount: new Decimal(sold.price.amount.toString()), tax: taxRuleOf(rate) };
  const { credit, charge } = prorate({ from, to, period: { start, end }, now });
  const days = `${now.toISOString().slice(0, 10)} to ${end.toISOString().slice(0, 10)}`;
  const line = { subscriptionId: id, createdAt: now };
  await tx.subscriptionAdjustment.createMany({
    data: [
      {
        ...line,
        ...credit,
        id: newId(),
        description: `Unused time of ${periodName(from.sold)}, ${days}`,
        taxRateId: from.taxRateId,
        taxInclusive: from.tax?.inclusive ?? false,
        productPlanId: from.sold.plan.id,
        productPlanPriceId: from.sold.price.id,
      },
      {
        ...line,
        ...charge,
        id: newId(),
        description: `Rest of the period at ${periodName(sold)}, ${days}`,
        taxRateId: rate?.id ?? null,
        taxInclusive: rate?.inclusive ?? false,
        productPlanId: sold.plan.id,
        productPlanPriceId: sold.price.id,
      },
    ].filter((adjustment) => !adjustment.amount.isZero()),
  });
}
