/** A short message next to what it concerns, with an icon for its kind. */
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import styles from './state.module.css';
import type { Tone } from './tones.ts';

type NoteProps = {
  tone?: Tone;
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons for the next step. */
  actions?: ReactNode;
  /** Announced by screen readers at once. */
  isUrgent?: boolean;
};

const looks = { good: styles.noteGood, wait: styles.noteWait, bad: styles.noteBad, quiet: undefined };

export function Note({ tone = 'quiet', title, children, actions, isUrgent }: NoteProps) {
  return (
    <div className={classNames(styles.note, looks[tone])} role={isUrgent ? 'alert' : undefined}>
      <Icon name={tone === 'bad' || tone === 'wait' ? 'alert' : tone === 'good' ? 'check' : 'info'} />
      <div className={styles.noteBody}>
        <div>
          {title && <p className={styles.noteTitle}>{title}</p>}
          {children && <div className={styles.noteMore}>{children}</div>}
        </div>
        {actions}
      </div>
    </div>
  );
}
