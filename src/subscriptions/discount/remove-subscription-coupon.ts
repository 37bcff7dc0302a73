import { type Database, type Subscription, transaction } from '../../../prisma/client.ts';
import { fieldsOf } from '../../auth/audit/audit-entry.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { appendEvents } from '../../events/append-events.ts';
import { lockOwnSubscription } from '../store.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { couponColumns } from './redeem-for-subscription.ts';
import { requireDiscountable } from './require-discountable.ts';

/**
 * Removes the coupon of a subscription, whose next invoices are at the full price. An invoice that is open already keeps its amount,
 * and the redemption stays counted. Does nothing for a subscription without a coupon. Appends `subscription.updated`. Throws
 * NOT_FOUND, and INVALID_STATE for a subscription that is PENDING or CANCELLED.
 */
export function removeSubscriptionCoupon(
  world: { database: Database },
  request: { scope: Scope; id: string },
): Promise<Subscription> {
  return transaction(world.database, async (tx) => {
    const locked = await lockOwnSubscription(tx, request);
    requireDiscountable(locked);
    if (locked.couponId === null) return locked;
    const { id, appId } = locked;
    const subscription = await tx.subscription.update({ where: { id }, data: couponColumns(null) });
    await recordAction(tx, {
      action: 'subscription.coupon_removed',
      owner: { appId },
      target: { type: 'Subscription', id },
      before: fieldsOf(locked, ['couponId', 'couponPeriodsLeft']),
      after: fieldsOf(subscription, ['couponId', 'couponPeriodsLeft']),
    });
    await appendEvents(tx, appId, [
      { type: 'subscription.updated', resourceId: id, data: subscriptionFields(subscription) },
    ]);
    return subscription;
  });
}
