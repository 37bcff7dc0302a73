import { useTranslation } from 'react-i18next';
import styles from '../view/cards.module.css';

export function LoadingCard() {
  const { t } = useTranslation();
  return (
    <div className={styles.stack} role="status">
      <p className={styles.soft}>{t('checkout.loading')}</p>
    </div>
  );
}
