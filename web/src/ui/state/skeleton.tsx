/** A placeholder with as many lines as the content will have. */
import { useTranslation } from 'react-i18next';
import { classNames } from '../class-names.ts';
import styles from './state.module.css';

type SkeletonProps = {
  lines?: number;
  /** Pixels. What the server prints has a class instead, because the content security policy refuses style attributes. */
  height?: number;
  className?: string | undefined;
  /** For several placeholders, of which only one is announced. */
  isSilent?: boolean;
};

export function Skeleton({ lines = 1, height, className, isSilent }: SkeletonProps) {
  const { t } = useTranslation();
  return (
    <span {...(isSilent ? { 'aria-hidden': true } : { role: 'status', 'aria-label': t('everywhere.loading') })}>
      {Array.from({ length: lines }, (_, line) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key.
          key={line}
          className={classNames(styles.skeleton, className)}
          {...(height === undefined ? {} : { style: { height } })}
        />
      ))}
    </span>
  );
}
