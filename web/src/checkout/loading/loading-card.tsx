/** Placeholder for the first card, of about the same height, so that the content below does not move when the card appears. */
import { useTranslation } from 'react-i18next';
import { classNames } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import styles from '../view/cards.module.css';

export function LoadingCard() {
  const { t } = useTranslation();
  return (
    <div className={classNames(styles.stack, styles.loading)} data-loading="">
      <p className={styles.soft} role="status">
        {t('checkout.loading')}
      </p>
      <Skeleton lines={2} isSilent />
      <Skeleton className={styles.loadingWays} isSilent />
      <Skeleton className={styles.loadingButton} isSilent />
    </div>
  );
}
