/** What every state of the page stands in: its name, the wallet, and the languages. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Address as EvmAddress } from 'viem';
import { Address } from '../../ui/addresses/address.tsx';
import { type Language, languages, switchLanguage } from '../../words/open-words.ts';
import styles from './payer.module.css';

const names: Record<Language, string> = { en: 'English', de: 'Deutsch' };

export function PageFrame({ wallet, children }: { wallet?: EvmAddress; children: ReactNode }) {
  const { t, i18n } = useTranslation();
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <span className={styles.brand}>{t('payer.brand')}</span>
        {wallet && <Address value={wallet} />}
      </header>
      <main className={styles.main}>{children}</main>
      <footer className={styles.footer}>
        <span>{t('payer.foot')}</span>
        <nav className={styles.languages} aria-label={t('payer.language')}>
          {languages.map((language) => (
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
    </div>
  );
}
