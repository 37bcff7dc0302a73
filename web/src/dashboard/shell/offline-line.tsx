/** A notice that the displayed data may be outdated while the browser is offline. */
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './shell.module.css';

export function OfflineLine() {
  const { t } = useTranslation();
  const isOnline = useSyncExternalStore(follow, () => navigator.onLine);
  // Always present, because screen readers announce changes only of elements that already exist.
  return (
    <div role="status" className={isOnline ? undefined : styles.offlineLine}>
      {!isOnline && t('shell.offline')}
    </div>
  );
}

function follow(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
