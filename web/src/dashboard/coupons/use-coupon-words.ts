/** The discount of a coupon and its duration as text: "12.5 % off for 3 periods". */
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../ui/formats/use-formats.ts';

type Off = {
  percentOffBps?: number | null | undefined;
  amountOff?: string | null | undefined;
  currency?: string | null | undefined;
  duration?: 'ONCE' | 'REPEATING' | 'FOREVER' | undefined;
  durationPeriods?: number | null | undefined;
};

export function useCouponWords(): (coupon: Off) => string {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const offOf = ({ percentOffBps, amountOff, currency }: Off) => {
    if (amountOff && currency) return t('links.coupon.amountOff', { amount: formats.fiat(amountOff, currency) });
    const percent = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 }).format(
      (percentOffBps ?? 0) / 100,
    );
    return t('links.coupon.off', { percent });
  };
  return (coupon) => {
    const off = offOf(coupon);
    if (coupon.duration === 'FOREVER') return t('links.coupon.forever', { off });
    if (coupon.duration !== 'REPEATING') return off;
    return t('links.coupon.forPeriods', { off, count: coupon.durationPeriods ?? 1 });
  };
}
