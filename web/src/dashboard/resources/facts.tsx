/** Names and values side by side. Entries without a value are omitted. */
import type { ReactNode } from 'react';
import styles from './resources.module.css';

export type Fact = { key: string; name: ReactNode; value: ReactNode };

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(({ value }) => value !== null && value !== undefined && value !== false && value !== '')
        .map(({ key, name, value }) => (
          <div key={key} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
