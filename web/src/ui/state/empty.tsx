/** An empty list: describes what it would contain, and shows the call that creates an entry, ready to copy. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../button/copy-button.tsx';
import styles from './state.module.css';

type EmptyProps = {
  title: string;
  children?: ReactNode;
  /** A command or a request. */
  call?: string;
  actions?: ReactNode;
  /** Whether the heading is that of the whole page. */
  isPage?: boolean;
};

export function Empty({ title, children, call, actions, isPage = false }: EmptyProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.empty}>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children && <p>{children}</p>}
      {call && (
        <div className={styles.call}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
          <pre tabIndex={0}>{call}</pre>
          <span className={styles.callCopy}>
            <CopyButton text={call} name={t('everywhere.call')} />
          </span>
        </div>
      )}
      {actions}
    </div>
  );
}
