/** What a coupon takes off, in words: "12.5 % off". */
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../ui/formats/use-formats.ts';

type Off = {
  percentOffBps?: number | null | undefined;
  amountOff?: string | null | undefined;
  currency?: string | null | undefined;
};

export function useCouponWords(): (coupon: Off) => string {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  return ({ percentOffBps, amountOff, currency }) => {
    if (amountOff && currency) return t('links.coupon.amountOff', { amount: formats.fiat(amountOff, currency) });
    const percent = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 }).format(
      (percentOffBps ?? 0) / 100,
    );
    return t('links.coupon.off', { percent });
  };
}
