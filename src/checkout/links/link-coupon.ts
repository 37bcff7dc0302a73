/** The coupon of a checkout that a link starts: the one that is named, or else the link's own while it can be redeemed. */
import type { Coupon, DatabaseTransaction } from '../../../prisma/client.ts';
import { type Discount, type DiscountedLine, discountLine } from '../../catalog/coupons/discount.ts';
import { countRedemption, redeemCoupon } from '../../catalog/coupons/redemption.ts';
import {
  type CouponName,
  couponParam,
  discountFault,
  discountOf,
  requireCoupon,
  requirePositive,
} from '../../catalog/coupons/require-coupon.ts';
import { type TaxableLine, type TaxedTotal, taxTotal } from '../../catalog/tax.ts';
import { invalid } from '../../errors.ts';

export type LinkDiscount = DiscountedLine & { total: TaxedTotal; coupon: Coupon | null };

type Sold = {
  line: TaxableLine;
  currency: string;
  now: Date;
  /** Whether a coupon may leave nothing to pay, because a trial begins without a payment. */
  mayBeFree?: boolean;
};

/**
 * Counts a redemption for a checkout of the link, and returns its line after the discount. A coupon that is named must apply: see
 * `requireCoupon`, `discountOf` and `redeemCoupon` for what they throw. The link's own is left out if it does not.
 */
export async function redeemOnLink(
  tx: DatabaseTransaction,
  request: Sold & {
    link: { appId: string; coupon: Coupon | null; allowCouponCodes: boolean };
    named: CouponName;
    /** Whether a payer names the coupon, and not the merchant. */
    isPayer: boolean;
    customerAccountId: string | null | undefined;
  },
): Promise<LinkDiscount> {
  const { link, named, isPayer, customerAccountId, ...sold } = request;
  if (isPayer && named.couponCode && !link.allowCouponCodes) {
    throw invalid([{ param: 'couponCode', message: 'is not accepted by this link' }]);
  }
  const coupon = await requireCoupon(tx, { appId: link.appId, ...named });
  if (coupon) {
    const param = couponParam(named);
    const discounted = withDiscount(sold.line, discountOf(coupon, { ...sold, param }));
    if (!sold.mayBeFree) requirePositive(discounted.total, param);
    await redeemCoupon(tx, coupon, { customerAccountId, param });
    return { ...discounted, coupon };
  }
  const own = linkTotal(link, sold);
  if (own.coupon === null) return own;
  const refusal = await countRedemption(tx, own.coupon, customerAccountId);
  return refusal === null ? own : { ...withDiscount(sold.line, null), coupon: null };
}

/** The line of a link at the price after the link's own coupon, or at the full price if the coupon does not apply. */
export function linkTotal(link: { coupon: Coupon | null }, { line, currency, now, mayBeFree }: Sold): LinkDiscount {
  const full = { ...withDiscount(line, null), coupon: null };
  const { coupon } = link;
  if (coupon === null || !isRedeemable(coupon, { currency, now })) return full;
  const reduced = withDiscount(line, discountOf(coupon, { currency, now, param: 'couponId' }));
  return mayBeFree || reduced.total.total.gt(0) ? { ...reduced, coupon } : full;
}

function isRedeemable(coupon: Coupon, sold: { currency: string; now: Date }): boolean {
  const { maxRedemptions: most, redemptionCount } = coupon;
  return discountFault(coupon, sold) === null && (most === null || redemptionCount < most);
}

function withDiscount(line: TaxableLine, discount: Discount | null): DiscountedLine & { total: TaxedTotal } {
  const discounted = discountLine(line, discount);
  return { ...discounted, total: taxTotal([discounted.taxed]) };
}
