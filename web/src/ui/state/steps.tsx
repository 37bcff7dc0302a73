/** The progress of a process: completed, current and future steps. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import styles from './state.module.css';

export type Step = {
  key: string;
  state: 'done' | 'current' | 'upcoming' | 'failed';
  title: ReactNode;
  /** Shown below the title: a time, a hash, or n of m confirmations. */
  more?: ReactNode;
};

const looks = {
  done: styles.stepDone,
  current: styles.stepCurrent,
  upcoming: styles.stepUpcoming,
  failed: styles.stepFailed,
};

export function Steps({ steps, label }: { steps: readonly Step[]; label: string }) {
  const { t } = useTranslation();
  return (
    <ol className={styles.steps} aria-label={label}>
      {steps.map(({ key, state, title, more }, index) => (
        <li
          key={key}
          className={classNames(styles.step, looks[state])}
          aria-current={state === 'current' ? 'step' : undefined}
        >
          <span className={styles.mark} aria-hidden="true">
            {state === 'done' ? <Icon name="check" /> : state === 'failed' ? <Icon name="cross" /> : index + 1}
          </span>
          <div>
            <p className={styles.stepTitle}>
              {title}
              <span className="visually-hidden">, {t(`everywhere.steps.${state}`)}</span>
            </p>
            {more && <div className={styles.stepMore}>{more}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
