/** A picture that distinguishes addresses faster than their letters. It has no meaning of its own, so it has no accessible name. */
import { minidenticon } from 'minidenticons';
import { useMemo } from 'react';
import styles from './addresses.module.css';

export function Identicon({ value }: { value: string }) {
  const source = useMemo(() => `data:image/svg+xml;utf8,${encodeURIComponent(minidenticon(value, 60, 50))}`, [value]);
  return <img src={source} alt="" className={styles.identicon} />;
}
