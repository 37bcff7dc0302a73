/** The period of a subscription's coupon that an invoice uses up while it is not void. */
import type { DatabaseTransaction, Invoice } from '../../prisma/client.ts';

/** Locks the invoice's subscription, which is locked before its invoices, if voiding the invoice changes it. */
export async function lockForCouponPeriod(
  tx: DatabaseTransaction,
  invoice: Pick<Invoice, 'subscriptionId' | 'couponId'>,
): Promise<void> {
  if (invoice.subscriptionId === null || invoice.couponId === null) return;
  await tx.$queryRaw`SELECT id FROM subscription WHERE id = ${invoice.subscriptionId}::uuid FOR UPDATE`;
}

/**
 * Gives the period of an invoice that was just voided back to its subscription, unless another coupon applies now. The caller
 * holds the locks of subscription and invoice.
 */
export async function returnCouponPeriod(
  tx: DatabaseTransaction,
  invoice: Pick<Invoice, 'subscriptionId' | 'couponId' | 'usageReason'>,
): Promise<void> {
  if (invoice.subscriptionId === null || invoice.couponId === null) return;
  // The invoice from which this one was split has used up the period for both.
  if (invoice.usageReason === 'ABOVE_CAP') return;
  // At most the coupon's own number of periods, because it may have been removed and redeemed again since.
  await tx.$executeRaw`
    UPDATE subscription
    SET coupon_periods_left = LEAST(coupon_periods_left + 1, CASE coupon.duration WHEN 'ONCE' THEN 1 ELSE coupon.duration_periods END)
    FROM coupon
    WHERE subscription.id = ${invoice.subscriptionId}::uuid AND subscription.coupon_id = ${invoice.couponId}::uuid
      AND coupon.id = subscription.coupon_id AND coupon_periods_left IS NOT NULL`;
}
