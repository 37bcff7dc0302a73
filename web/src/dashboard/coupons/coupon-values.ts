/** The values of the coupon form, and their conversion to the input of the API. */
import type { CouponListQuery, CreateCouponInput, UpdateCouponInput } from '../../../../generated/web/documents.ts';
import { basisPointsOf } from '../../ui/formats/basis-points.ts';
import { countOrNull, plainAmount } from '../plans/price-values.ts';
import type { Currency } from '../resources/currencies.ts';

export type CouponRow = NonNullable<NonNullable<CouponListQuery['coupons']['nodes']>[number]>;

export type CouponValues = {
  name: string;
  code: string;
  kind: 'percent' | 'amount';
  percent: string;
  amount: string;
  currency: Currency;
  duration: 'ONCE' | 'REPEATING' | 'FOREVER';
  durationPeriods: string;
  maxRedemptions: string;
  maxRedemptionsPerCustomer: string;
  /** A date and time in the browser's zone, as its input element returns them. */
  expiresAt: string;
};

export const newCoupon: CouponValues = {
  name: '',
  code: '',
  kind: 'percent',
  percent: '',
  amount: '',
  currency: 'USD',
  duration: 'ONCE',
  durationPeriods: '',
  maxRedemptions: '',
  maxRedemptionsPerCustomer: '',
  expiresAt: '',
};

export function couponValues(coupon: CouponRow): CouponValues {
  return {
    ...newCoupon,
    name: coupon.name,
    maxRedemptions: coupon.maxRedemptions?.toString() ?? '',
    maxRedemptionsPerCustomer: coupon.maxRedemptionsPerCustomer?.toString() ?? '',
    expiresAt: coupon.expiresAt ? localInput(new Date(coupon.expiresAt)) : '',
  };
}

/** Basis points of a discount in percent. Null if it is not between 0.01 and 100. */
export function readBps(text: string): number | null {
  return basisPointsOf(text) || null;
}

/** The input for an update, which can change only the name and the limits. */
export function couponLimits(values: CouponValues): UpdateCouponInput {
  return {
    name: values.name.trim(),
    maxRedemptions: countOrNull(values.maxRedemptions),
    maxRedemptionsPerCustomer: countOrNull(values.maxRedemptionsPerCustomer),
    expiresAt: values.expiresAt === '' ? null : new Date(values.expiresAt).toISOString(),
  };
}

export function couponInput(values: CouponValues): Omit<CreateCouponInput, 'appId'> {
  const discount =
    values.kind === 'percent'
      ? { percentOffBps: readBps(values.percent) }
      : { amountOff: plainAmount(values.amount), currency: values.currency };
  const { duration } = values;
  const periods = duration === 'REPEATING' ? { durationPeriods: countOrNull(values.durationPeriods) } : {};
  const code = values.code.trim() || null;
  return { ...couponLimits(values), name: values.name.trim(), code, ...discount, duration, ...periods };
}

function localInput(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
