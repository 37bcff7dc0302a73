import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { pages } from '../pages.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import styles from './shell.module.css';

export function Navigation({ under, onGo }: { under: string | undefined; onGo?: () => void }) {
  const { t } = useTranslation();
  const { member } = useDashboard();
  return (
    <nav aria-label={t('shell.navigation')}>
      <ul className={styles.navigation}>
        {pages.map(
          ({ key, path, icon, isForOperators }) =>
            icon &&
            (!isForOperators || member.isOperator) && (
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
