/** What is bought: the total large, then the lines with tax, and how often, where it is a subscription. */
import { useTranslation } from 'react-i18next';
import { Amount } from '../../ui/amounts/amount.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import styles from './summary.module.css';

export type Line = {
  id: string;
  name: string;
  description: string | null;
  /** Of one unit, as the merchant gave it. */
  amount: string;
  quantity: number;
  imageUrl: string | null;
};

export type Period = { interval: string; count: number; trialDays: number | null };

type SummaryProps = {
  /** Null where the payer has not said it yet. */
  total: {
    amount: string;
    subtotal: string;
    taxAmount: string;
    /** What a coupon takes off the lines; the other amounts are after it. */
    discountAmount: string;
    couponName?: string | null | undefined;
    currency: string;
  } | null;
  lines: readonly Line[];
  period: Period | null;
};

export function Summary({ total, lines, period }: SummaryProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const often = useOften(period);
  const hasTax = total !== null && !isZero(total.taxAmount);
  const hasDiscount = total !== null && !isZero(total.discountAmount);
  return (
    <div className={styles.summary}>
      {total && (
        <p className={styles.total}>
          <Amount fiat={total} size="large" />
          {often && <span className={styles.often}>{often}</span>}
        </p>
      )}
      {period?.trialDays ? <p className={styles.trial}>{t('checkout.trial', { count: period.trialDays })}</p> : null}
      <ul className={styles.lines}>
        {lines.map((line) => (
          <li key={line.id} className={styles.line}>
            {line.imageUrl && <img className={styles.picture} src={line.imageUrl} alt="" />}
            <span className={styles.what}>
              <span>{line.name}</span>
              {line.description && <span className={styles.about}>{line.description}</span>}
              {line.quantity > 1 && total && (
                <span className={styles.about}>
                  {t('checkout.quantity', {
                    quantity: formats.count(line.quantity),
                    each: formats.fiat(line.amount, total.currency),
                  })}
                </span>
              )}
            </span>
            {line.quantity === 1 && total && (lines.length > 1 || hasDiscount) && (
              <span className={styles.figure}>{formats.fiat(line.amount, total.currency)}</span>
            )}
          </li>
        ))}
      </ul>
      {total && (hasTax || hasDiscount) && (
        <dl className={styles.sums}>
          {hasDiscount && (
            <>
              <dt>
                {total.couponName ? t('checkout.discountOf', { name: total.couponName }) : t('checkout.discount')}
              </dt>
              <dd>−{formats.fiat(total.discountAmount, total.currency)}</dd>
            </>
          )}
          {hasTax && (
            <>
              <dt>{t('checkout.subtotal')}</dt>
              <dd>{formats.fiat(total.subtotal, total.currency)}</dd>
              <dt>{t('checkout.tax')}</dt>
              <dd>{formats.fiat(total.taxAmount, total.currency)}</dd>
            </>
          )}
          <dt className={styles.last}>{t('checkout.total')}</dt>
          <dd className={styles.last}>{formats.fiat(total.amount, total.currency)}</dd>
        </dl>
      )}
    </div>
  );
}

function isZero(amount: string): boolean {
  return /^0(\.0+)?$/.test(amount);
}

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
