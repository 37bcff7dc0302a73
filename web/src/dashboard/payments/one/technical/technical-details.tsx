/** Details for developers and operators: each step with its block, logs, ledger entries and events, and the terms and quotes. */
import { useTranslation } from 'react-i18next';
import styles from '../payment-page.module.css';
import type { PaymentStory } from '../payment-steps.ts';
import { PaymentTimeline } from './payment-timeline.tsx';
import { PriceFacts } from './price-facts.tsx';
import { TermsFacts } from './terms-facts.tsx';

export function TechnicalDetails({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  return (
    <details className={styles.technical}>
      <summary>{t('payments.technical.title')}</summary>
      <div className={styles.columns}>
        <div className={styles.story}>
          <PaymentTimeline payment={payment} />
        </div>
        <div className={styles.side}>
          <PriceFacts payment={payment} />
          <TermsFacts payment={payment} />
        </div>
      </div>
    </details>
  );
}
