/** What every state of the page stands in: who is paid, the summary beside the one card, and our name, small. */
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { applyAccent } from '../../ui/apply-accent.ts';
import { MerchantMark } from '../../ui/merchant-mark.tsx';
import { PageFooter } from '../../ui/page-footer.tsx';
import { Status } from '../../ui/state/status.tsx';
import styles from './frame.module.css';

export type Payee = {
  appName: string;
  merchantName: string;
  appLogoUrl?: string | null | undefined;
  accentColor?: string | null | undefined;
  /** The merchant's own words above what is bought. */
  heading?: string | null | undefined;
  message?: string | null | undefined;
  isTest: boolean;
};

type PageFrameProps = {
  payee?: Payee;
  summary?: ReactNode;
  /** The page can be printed as a receipt. */
  isReceipt?: boolean | undefined;
  children: ReactNode;
};

export function PageFrame({ payee, summary, isReceipt, children }: PageFrameProps) {
  const { t } = useTranslation();
  const accent = payee?.accentColor;
  useEffect(() => applyAccent(accent), [accent]);
  useEffect(() => {
    document.title = payee ? t('checkout.title', { name: payee.appName }) : t('checkout.plainTitle');
  }, [payee, t]);
  return (
    <div className={styles.page}>
      {payee?.isTest && (
        <header className={styles.test}>
          <Status status="TEST" tone="wait">
            {t('checkout.testMode')}
          </Status>
        </header>
      )}
      <main className={styles.columns}>
        {!payee && <h1 className="visually-hidden">{t('checkout.plainTitle')}</h1>}
        {(payee || summary) && (
          <section className={styles.summary} aria-label={t('checkout.summary')}>
            {payee && <PayeeHead payee={payee} isReceipt={isReceipt} />}
            {summary}
          </section>
        )}
        <section className={styles.card} aria-label={t('checkout.payment')}>
          {children}
        </section>
      </main>
      <PageFooter>{t('checkout.by')}</PageFooter>
    </div>
  );
}

function PayeeHead({ payee, isReceipt }: { payee: Payee; isReceipt: boolean | undefined }) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles.payee}>
        <MerchantMark name={payee.appName} logoUrl={payee.appLogoUrl} />
        <div className={styles.names}>
          <h1 className={styles.name}>{payee.appName}</h1>
          {payee.merchantName !== payee.appName && <p className={styles.merchant}>{payee.merchantName}</p>}
        </div>
      </div>
      {isReceipt && <p className={styles.paperTitle}>{t('checkout.receipt.paper')}</p>}
      {payee.heading && <h2 className={styles.heading}>{payee.heading}</h2>}
      {payee.message && <p className={styles.message}>{payee.message}</p>}
    </>
  );
}
