/** A status as a word with its sign; the colour only repeats them. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import styles from './state.module.css';
import { type Tone, toneIcons, toneOf } from './tones.ts';

type StatusProps = {
  /** As the API names it: CAPTURED, PAST_DUE. Its words are in `everywhere.status`. */
  status: string;
  /** Instead of what the status means in general. */
  tone?: Tone;
  /** Instead of its own words. */
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
