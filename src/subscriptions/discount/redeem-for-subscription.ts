import type { Coupon, DatabaseTransaction, ProductPlanPrice, Subscription } from '../../../prisma/client.ts';
import { durationPeriods } from '../../catalog/coupons/coupon.ts';
import { redeemCoupon } from '../../catalog/coupons/redemption.ts';
import { type CouponName, couponParam, discountOf, requireCoupon } from '../../catalog/coupons/require-coupon.ts';
import { invalid } from '../../errors.ts';
import { beginsUnpaid, type PlanWithRate, periodPrice } from '../checkout/subscription-session.ts';

/**
 * Counts a redemption of the coupon that a body names for a subscription that is being created; null if it names none. Throws as
 * `requireCoupon`, `discountOf` and `redeemCoupon` do, and VALIDATION_ERROR for a coupon that leaves nothing to pay for a first
 * period that is paid at the start.
 */
export async function redeemForSubscription(
  tx: DatabaseTransaction,
  request: {
    appId: string;
    named: CouponName;
    plan: PlanWithRate;
    price: ProductPlanPrice;
    customerAccountId: string;
    now: Date;
  },
): Promise<Coupon | null> {
  const { appId, named, plan, price, customerAccountId, now } = request;
  const coupon = await requireCoupon(tx, { appId, couponId: named.couponId, couponCode: named.couponCode });
  if (!coupon) return null;
  const param = couponParam(named);
  const discount = discountOf(coupon, { currency: price.currency, now, param });
  if (!beginsUnpaid(price) && periodPrice(plan, price, discount).total.total.isZero()) {
    throw invalid([{ param, message: 'leaves nothing to pay for the first period; a price with a trial can be free' }]);
  }
  await redeemCoupon(tx, coupon, { customerAccountId, param });
  return coupon;
}

/** The columns of a subscription to which a coupon was just attached. */
export function couponColumns(coupon: Coupon | null): Pick<Subscription, 'couponId' | 'couponPeriodsLeft'> {
  return { couponId: coupon?.id ?? null, couponPeriodsLeft: coupon && durationPeriods(coupon) };
}
