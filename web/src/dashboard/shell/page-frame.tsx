/** The header and the content of a dashboard page. Every page uses it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../ui/icon.tsx';
import styles from './shell.module.css';

type PageFrameProps = {
  title: ReactNode;
  /** Shown next to the title, for example a status. */
  beside?: ReactNode;
  about?: ReactNode;
  /** The buttons of the page, at the right. */
  actions?: ReactNode;
  /** A link back to the list. */
  back?: { href: string; words: string };
  children: ReactNode;
};

export function PageFrame({ title, beside, about, actions, back, children }: PageFrameProps) {
  return (
    <div className={styles.frame}>
      <header className={styles.frameHead}>
        <div>
          {back && (
            <Link href={back.href} className={styles.back}>
              <Icon name="back" /> {back.words}
            </Link>
          )}
          <div className={styles.titleLine}>
            <h1 tabIndex={-1}>{title}</h1>
            {beside}
          </div>
          {about && <p className={styles.about}>{about}</p>}
        </div>
        {actions && <div className={styles.frameActions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
