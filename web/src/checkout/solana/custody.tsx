import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icon.tsx';
import styles from './custody.module.css';

/** There is no contract on Solana: who pays is told who holds the money. */
export function Custody() {
  const { t } = useTranslation();
  return (
    <p className={styles.custody}>
      <Icon name="info" />
      <span>{t('solana.custody')}</span>
    </p>
  );
}
