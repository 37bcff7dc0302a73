/** The price of a subscription's usage, and the maximum charge for a period. */
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { useTariffLines } from '../../ui/amounts/use-tariff-lines.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import styles from './summary.module.css';
import { type Period, useOften } from './use-often.ts';

export type MeteringShown = NonNullable<NonNullable<CheckoutViewFragment['subscription']>['metering']>;

type MeteringTermsProps = { metering: MeteringShown; currency: string; period: Period };

export function MeteringTerms({ metering, currency, period }: MeteringTermsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const often = useOften(period) ?? '';
  const tariffLines = useTariffLines();
  return (
    <section className={styles.metering} aria-label={t('checkout.metering.title')}>
      <p>{t('checkout.metering.about', { often })}</p>
      <ul className={styles.tiers}>
        {tariffLines(metering, currency).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p>
        <strong>{t('checkout.metering.cap', { cap: formats.fiat(metering.capAmount, currency), often })}</strong>
      </p>
    </section>
  );
}
