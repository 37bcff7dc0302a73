/** The top of a card: an icon if it shows a state, a title, and a sentence. */
import type { ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-drawings.ts';
import styles from './cards.module.css';

type CardHeadProps = {
  title: ReactNode;
  icon?: IconName;
  tone?: 'quiet' | 'good' | 'wait' | 'bad';
  children?: ReactNode;
};

export function CardHead({ title, icon, tone = 'quiet', children }: CardHeadProps) {
  return (
    <header className={styles.head}>
      {icon && (
        <span className={classNames(styles.sign, styles[tone])}>
          <Icon name={icon} />
        </span>
      )}
      <h2>{title}</h2>
      {children && <p className={styles.soft}>{children}</p>}
    </header>
  );
}
