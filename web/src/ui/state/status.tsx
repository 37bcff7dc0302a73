/** A status as text with an icon. Its color carries no further information. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import styles from './state.module.css';
import { type Tone, toneIcons, toneOf } from './tones.ts';

type StatusProps = {
  /** The API's name of the status: CAPTURED, PAST_DUE. Its text is in `everywhere.status`. */
  status: string;
  /** Replaces the general explanation of the status. */
  tone?: Tone;
  /** Replaces the default text of the status. */
  children?: ReactNode;
};

export function Status({ status, tone = toneOf(status), children }: StatusProps) {
  const { t } = useTranslation();
  return (
    <span className={classNames(styles.status, styles[tone])} data-status={status}>
      <Icon name={toneIcons[tone]} />
      {children ?? t(`everywhere.status.${status}`, { defaultValue: status })}
    </span>
  );
}
