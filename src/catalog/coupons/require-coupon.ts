import { Decimal } from 'decimal.js';
import type { Coupon, Database, DatabaseTransaction } from '../../../prisma/client.ts';
import { GatewayError, invalid, notFound } from '../../errors.ts';
import type { TaxedTotal } from '../tax.ts';
import type { Discount } from './discount.ts';

/** How a request names a coupon. */
export type CouponName = { couponId?: string | null | undefined; couponCode?: string | null | undefined };

/** The field by which a body names a coupon. */
export function couponParam({ couponId }: CouponName): 'couponId' | 'couponCode' {
  return couponId ? 'couponId' : 'couponCode';
}

/**
 * The app's coupon that a body names by `couponId` or `couponCode`; null if it names none. Throws NOT_FOUND with `param` for an
 * unknown coupon or another merchant's, and VALIDATION_ERROR if both fields are sent.
 */
export async function requireCoupon(
  database: Database | DatabaseTransaction,
  { appId, couponId, couponCode }: CouponName & { appId: string },
): Promise<Coupon | null> {
  if (couponId && couponCode) throw invalid([{ param: 'couponCode', message: 'cannot be combined with couponId' }]);
  if (!couponId && !couponCode) return null;
  const where = couponId ? { id: couponId, appId } : { code: couponCode ?? '', appId };
  const coupon = await database.coupon.findFirst({ where });
  if (!coupon) throw notFound('coupon', couponParam({ couponId }));
  return coupon;
}

/** Why a coupon takes nothing off amounts in `currency`; null if it does. */
export function discountFault(
  coupon: Coupon,
  { currency, now }: { currency: string; now: Date },
): 'ARCHIVED' | 'EXPIRED' | 'OTHER_CURRENCY' | null {
  if (!coupon.isActive) return 'ARCHIVED';
  if (coupon.expiresAt !== null && coupon.expiresAt <= now) return 'EXPIRED';
  return coupon.currency !== null && coupon.currency !== currency ? 'OTHER_CURRENCY' : null;
}

/**
 * What the coupon takes off amounts in `currency`. Throws INVALID_STATE for an archived coupon, EXPIRED for an expired one, and
 * VALIDATION_ERROR for an amount in another currency, each with `param`.
 */
export function discountOf(coupon: Coupon, request: { currency: string; now: Date; param: string }): Discount {
  const { currency, param } = request;
  const fault = discountFault(coupon, request);
  switch (fault) {
    case null:
      return appliedDiscount(coupon);
    case 'ARCHIVED':
      throw new GatewayError('INVALID_STATE', 'The coupon is archived.', { param });
    case 'EXPIRED':
      throw new GatewayError('EXPIRED', 'The coupon has expired.', { param });
    case 'OTHER_CURRENCY':
      throw invalid([{ param, message: `is a discount in ${coupon.currency}, while the amount is in ${currency}` }]);
    default:
      return fault satisfies never;
  }
}

/** The discount of a coupon that applies already, whether or not it can still be redeemed. */
export function appliedDiscount(coupon: Pick<Coupon, 'id' | 'percentOffBps' | 'amountOff'>): Discount {
  if (coupon.percentOffBps !== null) return { percentOffBps: coupon.percentOffBps };
  if (coupon.amountOff === null) throw new Error(`Coupon ${coupon.id} has no discount.`);
  return { amountOff: new Decimal(coupon.amountOff.toString()) };
}

/** Throws VALIDATION_ERROR for a coupon that leaves nothing to pay. `param` is the field that names it. */
export function requirePositive({ total }: TaxedTotal, param: string): void {
  if (total.gt(0)) return;
  throw invalid([{ param, message: 'leaves a total of 0.00, but a payment must be greater than zero' }]);
}
