/**
 * The discount of a subscription: its coupon, and the number of invoices to come that the coupon reduces.
 *
 * Each invoice of a period uses one up when it is opened, and gives it back when it is voided (`coupon-period.ts`). What applies
 * is the coupon as it was redeemed: archiving it, or its expiry, ends no discount. Only the price is reduced, which is the base fee
 * together with the usage of a metered price, and not what plan changes owe, because that is computed from reduced prices already.
 *
 * Authority: the subscription's row, under its lock, for the number of invoices left; an invoice for the amount of its own discount.
 */
import type { Coupon, DatabaseTransaction, Subscription } from '../../../prisma/client.ts';
import type { Discount } from '../../catalog/coupons/discount.ts';
import { appliedDiscount } from '../../catalog/coupons/require-coupon.ts';

/** `couponPeriodsLeft` is null if the coupon does not end. */
export type SubscriptionDiscount = Pick<Subscription, 'couponPeriodsLeft'> & { coupon: Coupon | null };

/** Whether the coupon of a subscription reduces its next invoice. */
export function isDiscounted({ coupon, couponPeriodsLeft }: SubscriptionDiscount): boolean {
  return coupon !== null && couponPeriodsLeft !== 0;
}

/** What is taken off the next invoice; null if nothing is. */
export function nextDiscount(subscription: SubscriptionDiscount): Discount | null {
  return subscription.coupon && isDiscounted(subscription) ? appliedDiscount(subscription.coupon) : null;
}

/** The subscription's discount after its next invoice was opened. */
export function afterInvoice<Row extends SubscriptionDiscount>(subscription: Row): Row {
  const { couponPeriodsLeft: periodsLeft } = subscription;
  return periodsLeft === null || periodsLeft === 0
    ? subscription
    : { ...subscription, couponPeriodsLeft: periodsLeft - 1 };
}

/**
 * Uses up one period of the coupon of each subscription for an invoice that was just written, in one statement. The caller holds
 * the subscriptions' locks, and has computed the invoices from the rows as they are.
 */
export async function consumeCouponPeriods(
  tx: DatabaseTransaction,
  subscriptions: readonly (SubscriptionDiscount & { id: string })[],
): Promise<void> {
  const ids = subscriptions.filter((row) => isDiscounted(row) && row.couponPeriodsLeft !== null).map(({ id }) => id);
  if (ids.length === 0) return;
  await tx.$executeRaw`
    UPDATE subscription SET coupon_periods_left = coupon_periods_left - 1
    WHERE id = ANY(${ids}::uuid[]) AND coupon_periods_left > 0`;
}
