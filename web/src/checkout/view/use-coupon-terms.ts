/** The effect of a coupon on the price of a subscription: "50 % off for 2 months, then 20.00 USD every month". */
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { isZero } from '../../ui/formats/money.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { type Period, useOften } from './use-often.ts';

export type OfferedCoupon = {
  percentOffBps?: number | null | undefined;
  amountOff?: string | null | undefined;
  duration: 'ONCE' | 'REPEATING' | 'FOREVER';
  durationPeriods?: number | null | undefined;
  /** The price of a period without the coupon; null for a payment that is not repeated. */
  laterAmount?: string | null | undefined;
};

/** Null without a coupon, and for a payment that is not repeated. `currency` is that of the amounts. */
export function useCouponTerms(
  coupon: OfferedCoupon | null | undefined,
  { period, currency }: { period: Period | null; currency: string | null | undefined },
): string | null {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const often = useOften(period);
  if (!coupon?.laterAmount || !currency || period === null) return null;
  const { amountOff, percentOffBps, durationPeriods } = coupon;
  const percent = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 }).format((percentOffBps ?? 0) / 100);
  const off = amountOff
    ? t('checkout.coupon.amount', { amount: formats.fiat(amountOff, currency) })
    : t('checkout.coupon.percent', { percent });
  const later = formats.fiat(coupon.laterAmount, currency);
  // A metered price without a base fee has no later amount to name.
  const hasLater = !isZero(coupon.laterAmount);
  const span = spanOf(period, durationPeriods ?? 1, t);
  switch (coupon.duration) {
    case 'ONCE':
      return hasLater ? t('checkout.coupon.ONCE', { off, later, often }) : t('checkout.coupon.first', { off });
    case 'REPEATING':
      return hasLater
        ? t('checkout.coupon.REPEATING', { off, later, often, span })
        : t('checkout.coupon.while', { off, span });
    default:
      return t('checkout.coupon.FOREVER', { off });
  }
}

/** "2 months". */
function spanOf({ interval, count }: Period, periods: number, t: TFunction): string {
  const units = { count: count * periods };
  switch (interval) {
    case 'MINUTE':
      return t('checkout.coupon.span.MINUTE', units);
    case 'DAY':
      return t('checkout.coupon.span.DAY', units);
    case 'WEEK':
      return t('checkout.coupon.span.WEEK', units);
    case 'MONTH':
      return t('checkout.coupon.span.MONTH', units);
    default:
      return t('checkout.coupon.span.YEAR', units);
  }
}
