/** A list of names and values. Values that are null are omitted. */
import type { ReactNode } from 'react';
import styles from './payment-page.module.css';

export type Fact = [name: string, value: ReactNode];

export function FactList({ facts }: { facts: readonly (Fact | null)[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(
        (fact) => fact && [<dt key={`${fact[0]} name`}>{fact[0]}</dt>, <dd key={`${fact[0]} value`}>{fact[1]}</dd>],
      )}
    </dl>
  );
}
