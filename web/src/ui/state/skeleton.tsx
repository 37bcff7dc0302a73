/** Where something will stand: as many lines as it will have. */
import { useTranslation } from 'react-i18next';
import styles from './state.module.css';

const widths = ['92%', '78%', '85%', '64%'];

export function Skeleton({ lines = 1, height }: { lines?: number; height?: number }) {
  const { t } = useTranslation();
  return (
    <span role="status" aria-label={t('everywhere.loading')}>
      {Array.from({ length: lines }, (_, line) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else.
          key={line}
          className={styles.skeleton}
          style={{ width: lines === 1 ? '100%' : widths[line % widths.length], height }}
        />
      ))}
    </span>
  );
}
