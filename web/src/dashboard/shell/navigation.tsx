import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { pages } from '../pages.ts';
import styles from './shell.module.css';

export function Navigation({ under, onGo }: { under: string | undefined; onGo?: () => void }) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('shell.navigation')}>
      <ul className={styles.navigation}>
        {pages.map(
          ({ key, path, icon }) =>
            icon && (
              <li key={key}>
                <Link
                  href={path}
                  onClick={onGo}
                  className={classNames(styles.way, key === under && styles.wayHere)}
                  aria-current={key === under ? 'page' : undefined}
                >
                  <Icon name={icon} /> {t(`shell.pages.${key}`)}
                </Link>
              </li>
            ),
        )}
      </ul>
    </nav>
  );
}
