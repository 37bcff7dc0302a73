/** The usage of a metered subscription that has not been billed, and what it costs so far. */
import { useTranslation } from 'react-i18next';
import type { SubscriptionFactsFragment } from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Facts } from '../resources/facts.tsx';
import styles from './subscriptions.module.css';

export function SubscriptionUsage({ usage }: { usage: SubscriptionFactsFragment['usage'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (usage.length === 0) return <p className={styles.quiet}>{t('subscriptions.usage.none')}</p>;
  return (
    <>
      {usage.map((period) => {
        const start = formats.dayUtc(new Date(period.periodStart));
        const end = period.periodEnd ? ` – ${formats.dayUtc(new Date(period.periodEnd))}` : '';
        return (
          <Facts
            key={period.periodStart}
            facts={[
              { key: 'period', name: t('subscriptions.period'), value: `${start}${end}` },
              {
                key: 'quantity',
                name: t('subscriptions.usage.used'),
                value: t('subscriptions.usage.units', {
                  quantity: formats.quantity(period.quantity),
                  unit: period.unitName,
                }),
              },
              { key: 'events', name: t('subscriptions.usage.events'), value: formats.count(period.eventCount) },
              {
                key: 'amount',
                name: t('subscriptions.usage.amount'),
                value: formats.fiat(period.amount, period.currency),
              },
            ]}
          />
        );
      })}
    </>
  );
}
