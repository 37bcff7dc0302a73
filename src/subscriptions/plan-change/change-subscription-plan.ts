import type { Database, DatabaseTransaction, Prisma, Subscription } from '../../../prisma/client.ts';
import { changedFields } from '../../auth/audit/audit-entry.ts';
import { recordChange } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Registry } from '../../chains/registry.ts';
import { notFound } from '../../errors.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import type { RenewableSubscription } from '../renewal/renewal-world.ts';
import { lockRenewable } from '../renewal/store.ts';
import { lockOwnSubscription } from '../store.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { splitUsage } from '../usage/split-usage.ts';
import { readChangeRates } from './change-rates.ts';
import { type PlanChange, type PlannedChange, planChange } from './plan-change.ts';

const shown = { productPlan: true, productPlanPrice: true } as const satisfies Prisma.SubscriptionInclude;
export type ChangedSubscription = Prisma.SubscriptionGetPayload<{ include: typeof shown }>;

type ChangeWorld = { database: Database; clock: Clock; registry: Registry; prices: PriceBook };

/**
 * Changes the price at which an ACTIVE subscription is renewed. A price with the same interval takes effect now: the rest of the
 * period is credited at the old price and charged at the new one, both on the next invoice. A price with another interval takes
 * effect at the end of the period (`nextPlanPriceId`), without proration; during a trial any price takes effect now. Changing to
 * the current price only reverts a scheduled change. Appends `subscription.updated` if anything changed.
 *
 * Throws NOT_FOUND with `param`; VALIDATION_ERROR for an archived price, another currency or a plan that is not a subscription;
 * INVALID_STATE while the subscription is not ACTIVE or a payment is pending, and if the consent that the payer signed does not
 * cover the change (its cap, or a shorter interval), which needs a new subscription; and PRICE_UNAVAILABLE.
 */
export async function changeSubscriptionPlan(
  world: ChangeWorld,
  request: { scope: Scope; id: string; change: PlanChange; idempotency?: IdempotencyRequest | undefined },
): Promise<ChangedSubscription> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const rates = await readChangeRates(world, request);
    return await write(async (tx) => {
      const { id } = await lockOwnSubscription(tx, request);
      const subscription = await lockRenewable(tx, id);
      if (!subscription) throw notFound('subscription');
      const now = world.clock.now();
      const planned = await planChange(tx, { subscription, change: request.change, rates, now });
      await applyChange(tx, { subscription, planned, now });
      const changed = await tx.subscription.findUniqueOrThrow({ where: { id }, include: shown });
      await recordChange(tx, {
        action: 'subscription.plan_changed',
        owner: { appId: changed.appId },
        target: { type: 'Subscription', id },
        changed: changedFields(subscription, changed, ['productPlanId', 'productPlanPriceId', 'nextPlanPriceId']),
      });
      if (isAnotherPrice(subscription, changed)) {
        const event = { type: 'subscription.updated', resourceId: id, data: subscriptionFields(changed) } as const;
        await appendEvents(tx, changed.appId, [event]);
      }
      return changed;
    });
  });
}

function isAnotherPrice(before: Subscription, after: Subscription): boolean {
  return before.productPlanPriceId !== after.productPlanPriceId || before.nextPlanPriceId !== after.nextPlanPriceId;
}

async function applyChange(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; planned: PlannedChange; now: Date },
): Promise<void> {
  const { subscription, planned, now } = request;
  const { sold, added } = planned;
  const { id } = subscription;
  await tx.subscriptionAdjustment.createMany({
    data: added.map(({ usage: _none, ...line }) => ({
      ...line,
      id: newId(),
      subscriptionId: id,
      createdAt: now,
      amount: line.amount.toString(),
      taxAmount: line.taxAmount.toString(),
    })),
  });
  switch (planned.effect) {
    case 'NONE':
      await tx.subscription.update({ where: { id }, data: { nextPlanPriceId: null } });
      return;
    case 'PERIOD_END':
      await tx.subscription.update({ where: { id }, data: { nextPlanPriceId: sold.price.id } });
      return;
    case 'NOW':
      await splitUsage(tx, { subscription, next: sold.price, now });
      await tx.subscription.update({
        where: { id },
        data: { productPlanId: sold.plan.id, productPlanPriceId: sold.price.id, nextPlanPriceId: null },
      });
      return;
    default:
      planned.effect satisfies never;
  }
}
