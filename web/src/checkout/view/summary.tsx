/** The purchase: the total, then the lines with tax and, for a subscription, the interval. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Amount } from '../../ui/amounts/amount.tsx';
import { isZero } from '../../ui/formats/money.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import styles from './summary.module.css';
import { type OfferedCoupon, useCouponTerms } from './use-coupon-terms.ts';
import { type Period, useOften } from './use-often.ts';

export type Line = {
  id: string;
  name: string;
  description: string | null;
  /** The price of one unit, as set by the merchant. */
  amount: string;
  quantity: number;
  imageUrl: string | null;
};

type SummaryProps = {
  /** Null if the payer has not entered it yet. */
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
  /** The coupon of a subscription that is in its first period. */
  coupon?: OfferedCoupon | null | undefined;
  /** The price of usage, if it is charged too. */
  children?: ReactNode;
};

export function Summary({ total, lines, period, coupon, children }: SummaryProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const often = useOften(period);
  const terms = useCouponTerms(coupon, { period, currency: total?.currency });
  // The amount of a coupon that ends is not what is paid every month.
  const isPassing = terms !== null && coupon?.duration !== 'FOREVER';
  const hasTax = total !== null && !isZero(total.taxAmount);
  const hasDiscount = total !== null && !isZero(total.discountAmount);
  return (
    <div className={styles.summary}>
      {total && (
        <p className={styles.total}>
          <Amount fiat={total} size="large" />
          {often && !isPassing && <span className={styles.often}>{often}</span>}
        </p>
      )}
      {period?.trialDays ? <p className={styles.trial}>{t('checkout.trial', { count: period.trialDays })}</p> : null}
      {terms && <p className={styles.trial}>{terms}</p>}
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
      {children}
    </div>
  );
}
