/** The newest invoices of a subscription, each with the attempts to charge it. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { SubscriptionFactsFragment } from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import { AttemptList } from './attempt-list.tsx';
import styles from './subscriptions.module.css';

export function SubscriptionInvoices({ invoices }: { invoices: SubscriptionFactsFragment['invoices'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (invoices.length === 0) return <p className={styles.quiet}>{t('subscriptions.noInvoices')}</p>;
  return (
    <ul className={styles.invoices}>
      {invoices.map((invoice) => (
        <li key={invoice.id} className={styles.invoice}>
          <div className={styles.invoiceHead}>
            <Link href={`/invoices/${invoice.id}`}>{invoice.invoiceNumber ?? t('invoices.draft')}</Link>
            <Status status={invoice.status} />
            <span className={styles.quiet}>
              {invoice.usageReason && t(`subscriptions.usage.${invoice.usageReason}`)}
              {invoice.periodStart && formats.dayUtc(new Date(invoice.periodStart))}
              {invoice.periodEnd && ` – ${formats.dayUtc(new Date(invoice.periodEnd))}`}
            </span>
            <span className={styles.total}>{formats.fiat(invoice.total, invoice.currency)}</span>
          </div>
          {invoice.attempts.length > 0 && <AttemptList attempts={invoice.attempts} />}
        </li>
      ))}
    </ul>
  );
}
