/** The frame around every state of the page: the payee, the summary next to the card, and the small name of Sluice. */
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { applyAccent } from '../../ui/apply-accent.ts';
import { MerchantMark } from '../../ui/merchant-mark.tsx';
import { PageFooter } from '../../ui/page-footer.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Status } from '../../ui/state/status.tsx';
import styles from './frame.module.css';

export type Payee = {
  appName: string;
  merchantName: string;
  appLogoUrl?: string | null | undefined;
  accentColor?: string | null | undefined;
  /** The merchant's own text above the summary. */
  heading?: string | null | undefined;
  message?: string | null | undefined;
  isTest: boolean;
};

type PageFrameProps = {
  payee?: Payee;
  summary?: ReactNode;
  /** The page can be printed as a receipt. */
  isReceipt?: boolean | undefined;
  /** Nothing is loaded yet: the payee and the summary are placeholders, and there is no footer that the content would push down. */
  isLoading?: boolean | undefined;
  children: ReactNode;
};

export function PageFrame({ payee, summary, isReceipt, isLoading, children }: PageFrameProps) {
  const { t } = useTranslation();
  const accent = payee?.accentColor;
  useEffect(() => applyAccent(accent), [accent]);
  useEffect(() => {
    const name = payee?.appName;
    const title = isReceipt ? t('checkout.receipt.pageTitle', { name }) : t('checkout.title', { name });
    document.title = name === undefined ? t('checkout.plainTitle') : title;
  }, [payee, isReceipt, t]);
  // The placeholders are replaced all at once, so that no part of the page moves.
  return (
    <div key={isLoading ? 'loading' : 'loaded'} className={styles.page}>
      {payee?.isTest && (
        <header className={styles.test}>
          <Status status="TEST" tone="wait">
            {t('checkout.testMode')}
          </Status>
        </header>
      )}
      <main className={styles.columns}>
        {!payee && <h1 className="visually-hidden">{t('checkout.plainTitle')}</h1>}
        {isLoading && <SummaryPlace />}
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
      {!isLoading && <PageFooter>{t('checkout.by')}</PageFooter>}
    </div>
  );
}

/** As high as a payee with one name, a total and one line, which most pages show. */
function SummaryPlace() {
  return (
    <div className={styles.summary} aria-hidden="true">
      <div className={styles.payee}>
        <span className={styles.markPlace} />
        <div className={styles.namePlace}>
          <Skeleton isSilent />
        </div>
      </div>
      <div className={styles.totalPlace}>
        <Skeleton className={styles.totalBar} isSilent />
      </div>
      <div className={styles.linePlace}>
        <Skeleton isSilent />
      </div>
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
