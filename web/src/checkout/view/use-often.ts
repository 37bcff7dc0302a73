/** How often a subscription is charged, in words. */
import { useTranslation } from 'react-i18next';

export type Period = { interval: string; count: number; trialDays: number | null };

/** "every month", "every 3 months". */
export function useOften(period: Period | null): string | null {
  const { t } = useTranslation();
  if (!period) return null;
  switch (period.interval) {
    case 'MINUTE':
      return t('checkout.every.MINUTE', { count: period.count });
    case 'DAY':
      return t('checkout.every.DAY', { count: period.count });
    case 'WEEK':
      return t('checkout.every.WEEK', { count: period.count });
    case 'MONTH':
      return t('checkout.every.MONTH', { count: period.count });
    default:
      return t('checkout.every.YEAR', { count: period.count });
  }
}
