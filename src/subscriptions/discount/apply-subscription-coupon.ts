import type { Database, DatabaseTransaction, Subscription } from '../../../prisma/client.ts';
import { fieldsOf } from '../../auth/audit/audit-entry.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { holdRedemption, redeemCoupon } from '../../catalog/coupons/redemption.ts';
import { type CouponName, couponParam, discountOf, requireCoupon } from '../../catalog/coupons/require-coupon.ts';
import { notFound } from '../../errors.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { lockOwnSubscription, type SubscriptionWithPrice } from '../store.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { couponColumns } from './redeem-for-subscription.ts';
import { requireDiscountable } from './require-discountable.ts';

/**
 * Redeems a coupon for the next invoices of a subscription, in place of the one that it has. An invoice that is open already keeps
 * its amount. Does nothing if the coupon applies already. Appends `subscription.updated`.
 *
 * Throws NOT_FOUND for the subscription and, with `param`, for the coupon; INVALID_STATE for a subscription that is PENDING or
 * CANCELLED; and as `discountOf` and `redeemCoupon` do.
 */
export async function applySubscriptionCoupon(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; named: CouponName; idempotency?: IdempotencyRequest | undefined },
): Promise<Subscription> {
  const { named } = request;
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const locked = await lockOwnSubscription(tx, request);
      const coupon = await requireCoupon(tx, { appId: locked.appId, ...named });
      const param = couponParam(named);
      if (!coupon) throw notFound('coupon', param);
      requireDiscountable(locked);
      if (locked.couponId === coupon.id && locked.couponPeriodsLeft !== 0) return locked;
      discountOf(coupon, { currency: locked.productPlanPrice.currency, now: world.clock.now(), param });
      const { customerAccountId } = locked;
      await redeemCoupon(tx, coupon, { customerAccountId, param });
      await holdRedemption(tx, {
        couponId: coupon.id,
        subscriptionId: locked.id,
        customerAccountId,
        status: 'REDEEMED',
      });
      return await writeCoupon(tx, { locked, columns: couponColumns(coupon) });
    }),
  );
}

async function writeCoupon(
  tx: DatabaseTransaction,
  { locked, columns }: { locked: SubscriptionWithPrice; columns: ReturnType<typeof couponColumns> },
): Promise<Subscription> {
  const subscription = await tx.subscription.update({ where: { id: locked.id }, data: columns });
  const { id, appId } = subscription;
  await recordAction(tx, {
    action: 'subscription.coupon_applied',
    owner: { appId },
    target: { type: 'Subscription', id },
    before: fieldsOf(locked, ['couponId', 'couponPeriodsLeft']),
    after: fieldsOf(subscription, ['couponId', 'couponPeriodsLeft']),
  });
  await appendEvents(tx, appId, [
    { type: 'subscription.updated', resourceId: id, data: subscriptionFields(subscription) },
  ]);
  return subscription;
}
