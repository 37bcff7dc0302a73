/** Says that what is shown may be out of date while the browser has no network. */
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './shell.module.css';

export function OfflineLine() {
  const { t } = useTranslation();
  const isOnline = useSyncExternalStore(follow, () => navigator.onLine);
  // Present before it speaks, because screen readers announce changes of what they know.
  return (
    <div role="status" className={isOnline ? undefined : styles.offlineLine}>
      {!isOnline && t('shell.offline')}
    </div>
  );
}

function follow(tell: () => void): () => void {
  addEventListener('online', tell);
  addEventListener('offline', tell);
  return () => {
    removeEventListener('online', tell);
    removeEventListener('offline', tell);
  };
}
