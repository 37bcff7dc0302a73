/** The exchange rate of the payment, and the rates that the sources reported. */
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../../../ui/formats/use-formats.ts';
import { symbolOf } from '../payment-money.ts';
import styles from '../payment-page.module.css';
import type { PaymentStory } from '../payment-steps.ts';

export function PriceFacts({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const evidence = payment.terms.find(({ accepted }) => accepted)?.priceEvidence ?? [];
  if (payment.exchangeRate === null) return null;
  return (
    <section aria-labelledby="rates" className={styles.card}>
      <h2 id="rates">{t('payments.facts.rates')}</h2>
      <p>{t('payments.facts.rate', { rate: payment.exchangeRate, symbol: symbolOf(payment) })}</p>
      {evidence.map(({ asset, priceUsd, sources }) => (
        <dl key={asset} className={styles.facts}>
          <dt>{asset}</dt>
          <dd>{priceUsd} USD</dd>
          {sources.map(({ source, priceUsd: price, at }) => [
            <dt key={`${source} name`}>{t('payments.facts.source', { source })}</dt>,
            <dd key={`${source} value`} title={formats.absolute(new Date(at))}>
              {price} USD · {formats.clock(new Date(at))}
            </dd>,
          ])}
        </dl>
      ))}
    </section>
  );
}
