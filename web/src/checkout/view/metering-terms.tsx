/** The price of a subscription's usage, and the maximum charge for a period. */
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { isZero } from '../../ui/formats/money.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import styles from './summary.module.css';
import { type Period, useOften } from './use-often.ts';

export type MeteringShown = NonNullable<NonNullable<CheckoutViewFragment['subscription']>['metering']>;

type MeteringTermsProps = { metering: MeteringShown; currency: string; period: Period };

export function MeteringTerms({ metering, currency, period }: MeteringTermsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const often = useOften(period) ?? '';
  const { unitName: unit, includedUnits, unitAmount, tiers, capAmount } = metering;
  const price = (amount: string) => formats.fiat(amount, currency);
  return (
    <section className={styles.metering} aria-label={t('checkout.metering.title')}>
      <p>{t('checkout.metering.about', { often })}</p>
      <ul className={styles.tiers}>
        {!isZero(includedUnits) && (
          <li>{t('checkout.metering.included', { quantity: formats.quantity(includedUnits), unit })}</li>
        )}
        {unitAmount && <li>{t('checkout.metering.each', { price: price(unitAmount), unit })}</li>}
        {tiers.map((tier, index) => {
          const words = tier.upTo
            ? t('checkout.metering.upTo', {
                quantity: formats.quantity(tier.upTo),
                price: price(tier.unitAmount),
                unit,
              })
            : t(index === 0 ? 'checkout.metering.each' : 'checkout.metering.above', {
                price: price(tier.unitAmount),
                unit,
              });
          const flat = tier.flatAmount
            ? ` ${t('checkout.metering.flat', { price: formats.fiat(tier.flatAmount, currency) })}`
            : '';
          return <li key={tier.upTo ?? 'last'}>{`${words}${flat}`}</li>;
        })}
        {metering.scheme === 'VOLUME' && <li>{t('checkout.metering.volume')}</li>}
      </ul>
      <p>
        <strong>{t('checkout.metering.cap', { cap: formats.fiat(capAmount, currency), often })}</strong>
      </p>
    </section>
  );
}
