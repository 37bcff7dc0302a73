/** What went wrong or is missing, in the payer's words, where it happened. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import styles from './cards.module.css';

/** These are no faults: they say what comes next. */
const calm = new Set(['WRONG_CHAIN', 'QUOTE_EXPIRED', 'STALE', 'NO_WALLET']);

export function Notice({
  name,
  values,
  children,
}: {
  name: string;
  values?: Record<string, string>;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const isCalm = calm.has(name);
  return (
    <div
      className={classNames(styles.notice, isCalm ? styles.wait : styles.bad)}
      role={isCalm ? 'status' : 'alert'}
      data-notice={name}
    >
      <Icon name={isCalm ? 'info' : 'alert'} />
      <div>
        <p>{t([`checkout.fault.${name}`, 'checkout.fault.FAILED'], values ?? {})}</p>
        {children}
      </div>
    </div>
  );
}
