/** A message about what failed or is missing, next to its cause. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import styles from './cards.module.css';

/** These are not faults, but describe what happens next. */
const calm = new Set([
  'WRONG_CHAIN',
  'QUOTE_EXPIRED',
  'STALE',
  'NO_WALLET',
  'STARTED_OVER',
  'SLOW_WALLET',
  'SLOW_NETWORK',
]);
/** What the payer decided. */
const neutral = new Set(['REJECTED']);

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
  const isNeutral = neutral.has(name);
  const isCalm = isNeutral || calm.has(name);
  return (
    <div
      className={classNames(styles.notice, isNeutral ? styles.neutral : isCalm ? styles.wait : styles.bad)}
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
