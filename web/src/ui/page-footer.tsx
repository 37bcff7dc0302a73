/** The footer of pages for payers: a short text and the languages. It is not printed. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Language, languages, switchLanguage } from '../words/open-words.ts';
import styles from './page-footer.module.css';

/** Each in its own language, for viewers who do not read the current one. */
const names: Record<Language, string> = { en: 'English', de: 'Deutsch' };

export function PageFooter({ children }: { children: ReactNode }) {
  const { t, i18n } = useTranslation();
  return (
    <footer className={styles.footer}>
      <span>{children}</span>
      <nav className={styles.languages} aria-label={t('everywhere.language')}>
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
  );
}
