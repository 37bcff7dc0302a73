import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icon.tsx';
import styles from './custody.module.css';

/** Informs payers who holds the money on Solana, where there is no contract. */
export function Custody() {
  const { t } = useTranslation();
  return (
    <p className={styles.custody}>
      <Icon name="info" />
      <span>{t('solana.custody')}</span>
    </p>
  );
}
