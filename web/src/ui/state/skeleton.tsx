/** A placeholder with as many lines as the content will have. */
import { useTranslation } from 'react-i18next';
import styles from './state.module.css';

const widths = ['92%', '78%', '85%', '64%'];

type SkeletonProps = {
  lines?: number;
  /** Pixels. */
  height?: number;
  /** For several placeholders, of which only one is announced. */
  isSilent?: boolean;
};

export function Skeleton({ lines = 1, height, isSilent }: SkeletonProps) {
  const { t } = useTranslation();
  return (
    <span {...(isSilent ? { 'aria-hidden': true } : { role: 'status', 'aria-label': t('everywhere.loading') })}>
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
