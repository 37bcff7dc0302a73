/** The two ways to request the first payment, shown while there are no payments. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { buttonClass } from '../../ui/button/button.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import styles from './setup.module.css';

export function FirstPaymentWays() {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  return (
    <p className={styles.actions}>
      {mayWrite && (
        <Link href="/links?new=1" className={buttonClass({ look: 'primary' })}>
          {t('setup.steps.request.go')}
        </Link>
      )}
      <Link href="/developers?tab=keys" className={buttonClass({})}>
        {t('setup.steps.request.api')}
      </Link>
    </p>
  );
}
