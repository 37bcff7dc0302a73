/** A section of a page on its own surface, with a title and, at the right, its buttons. */
import { type ReactNode, useId } from 'react';
import styles from './shell.module.css';

type PanelProps = { title?: ReactNode; about?: ReactNode; actions?: ReactNode; children: ReactNode };

export function Panel({ title, about, actions, children }: PanelProps) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={title ? id : undefined}>
      {(title || actions) && (
        <div className={styles.panelHead}>
          <div>
            {title && <h2 id={id}>{title}</h2>}
            {about && <p className={styles.about}>{about}</p>}
          </div>
          {actions && <div className={styles.frameActions}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}
