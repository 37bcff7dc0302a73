/** The page for visitors who open this installation without a path or with an unknown one. */
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-drawings.ts';
import { PageFooter } from '../ui/page-footer.tsx';
import styles from './start.module.css';

const ways = [
  { key: 'payer', href: '/pay', icon: 'payment' },
  { key: 'merchant', href: '/dashboard', icon: 'chart' },
  { key: 'developer', href: '/openapi.json', icon: 'code' },
] as const satisfies readonly { key: string; href: string; icon: IconName }[];

export function App() {
  const { t } = useTranslation();
  const isUnknown = location.pathname !== '/';
  const title = isUnknown ? t('start.unknown.title') : t('start.title');
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className={styles.page}>
      <main className={styles.main}>
        <header className={styles.head}>
          <p className={styles.brand}>{isUnknown ? t('start.unknown.code') : t('start.brand')}</p>
          <h1>{title}</h1>
          <p className={styles.about}>
            {isUnknown ? t('start.unknown.about', { path: shownPath() }) : t('start.about')}
          </p>
        </header>
        <nav aria-label={t('start.ways')}>
          <ul className={styles.ways}>
            {ways.map(({ key, href, icon }) => (
              <li key={key}>
                <a href={href} className={styles.way}>
                  <Icon name={icon} />
                  <span>
                    <strong>{t(`start.${key}.title`)}</strong>
                    <span className={styles.about}>{t(`start.${key}.about`)}</span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </main>
      <PageFooter>{t('start.foot')}</PageFooter>
    </div>
  );
}

const SHOWN_LENGTH = 80;

/** A long path is truncated, because the rest is not useful. */
function shownPath(): string {
  const { pathname } = location;
  return pathname.length > SHOWN_LENGTH ? `${pathname.slice(0, SHOWN_LENGTH)}…` : pathname;
}
