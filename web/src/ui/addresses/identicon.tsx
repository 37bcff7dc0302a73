/** A picture that tells two addresses apart sooner than their letters do. It says nothing by itself, so it has no name. */
import { minidenticon } from 'minidenticons';
import { useMemo } from 'react';
import styles from './addresses.module.css';

export function Identicon({ value }: { value: string }) {
  const source = useMemo(() => `data:image/svg+xml;utf8,${encodeURIComponent(minidenticon(value, 60, 50))}`, [value]);
  return <img src={source} alt="" className={styles.identicon} />;
}
