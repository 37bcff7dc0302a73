/** The next charges, by year. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { type Charge, chargeCalendar, needsClock } from './charge-calendar.ts';
import styles from './subscriptions.module.css';

export function SubscriptionCalendar({ charges }: { charges: readonly Charge[] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (charges.length === 0) return <p className={styles.quiet}>{t('subscriptions.noCharges')}</p>;
  const hasClock = needsClock(charges);
  return (
    <div className={styles.years}>
      {chargeCalendar(charges).map(({ year, charges: own, total, currency }) => (
        <section key={year} aria-label={String(year)}>
          <div className={styles.year}>
            <h3>{year}</h3>
            <span className={styles.quiet}>
              {t('subscriptions.inYear', { count: own.length, total: formats.fiat(total, currency) })}
            </span>
          </div>
          <ol className={styles.charges}>
            {own.map((charge) => {
              const at = new Date(charge.dueAt);
              return (
                <li key={charge.dueAt} className={styles.charge} data-due={charge.dueAt}>
                  <span className={styles.day}>
                    {hasClock ? `${formats.day(at)} ${formats.clock(at)}` : formats.dayUtc(at)}
                  </span>
                  <span>{formats.fiat(charge.total, charge.currency)}</span>
                  {charge.invoiceId ? (
                    <Link href={`/invoices/${charge.invoiceId}`}>
                      <Status status="OPEN">{t('subscriptions.openInvoice')}</Status>
                    </Link>
                  ) : (
                    <span className={styles.quiet}>
                      <Time at={at} />
                    </span>
                  )}
                </li>
              );
            })}
          </ol>
        </section>
      ))}
    </div>
  );
}
