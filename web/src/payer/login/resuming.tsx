/** Shown until the wallet of the last visit reports whether it is still connected. Some wallets never do. */
import { useEffect, useState } from 'react';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { stopResuming } from '../../wallet/evm/use-wallet.ts';
import styles from '../view/payer.module.css';
import { StartOver } from '../view/start-over.tsx';

/** Most wallets report in a fraction of this time. */
const PATIENCE_MS = 2_000;

export function Resuming() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.stack}>
      <Skeleton lines={3} height={20} />
      {isSlow && <StartOver startOver={stopResuming} />}
    </div>
  );
}
