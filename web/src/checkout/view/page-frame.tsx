/** What every state of the page stands in: who is paid, the summary beside the one card, and our name, small. */
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { applyAccent } from '../../ui/apply-accent.ts';
import { Status } from '../../ui/state/status.tsx';
import { type Language, languages, switchLanguage } from '../../words/open-words.ts';
import styles from './frame.module.css';

export type Payee = {
  appName: string;
  merchantName: string;
  appLogoUrl?: string | null | undefined;
  accentColor?: string | null | undefined;
  isTest: boolean;
};

export function PageFrame({ payee, summary, children }: { payee?: Payee; summary?: ReactNode; children: ReactNode }) {
  const { t } = useTranslation();
  const accent = payee?.accentColor;
  useEffect(() => applyAccent(accent), [accent]);
  useEffect(() => {
    document.title = payee ? t('checkout.title', { name: payee.appName }) : t('checkout.plainTitle');
  }, [payee, t]);
  return (
    <div className={styles.page}>
      {payee?.isTest && (
        <p className={styles.test} role="note">
          <Status status="TEST" tone="wait">
            {t('checkout.testMode')}
          </Status>
        </p>
      )}
      <main className={styles.columns}>
        {(payee || summary) && (
          <section className={styles.summary} aria-label={t('checkout.summary')}>
            {payee && <PayeeHead payee={payee} />}
            {summary}
          </section>
        )}
        <section className={styles.card} aria-label={t('checkout.payment')}>
          {children}
        </section>
      </main>
      <Footer />
    </div>
  );
}

function PayeeHead({ payee }: { payee: Payee }) {
  return (
    <div className={styles.payee}>
      {payee.appLogoUrl ? (
        <img className={styles.logo} src={payee.appLogoUrl} alt="" />
      ) : (
        <span className={styles.letter} aria-hidden="true">
          {[...payee.appName][0]?.toUpperCase()}
        </span>
      )}
      <div className={styles.names}>
        <h1 className={styles.name}>{payee.appName}</h1>
        {payee.merchantName !== payee.appName && <p className={styles.merchant}>{payee.merchantName}</p>}
      </div>
    </div>
  );
}

function Footer() {
  const { t, i18n } = useTranslation();
  return (
    <footer className={styles.footer}>
      <span>{t('checkout.by')}</span>
      <nav className={styles.languages} aria-label={t('checkout.language')}>
        {languages.map((language: Language) => (
          <button
            key={language}
            type="button"
            lang={language}
            className={styles.language}
            aria-pressed={i18n.language === language}
            onClick={() => void switchLanguage(language)}
          >
            {names[language]}
          </button>
        ))}
      </nav>
    </footer>
  );
}

const names: Record<Language, string> = { en: 'English', de: 'Deutsch' };
