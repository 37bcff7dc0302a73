/** The status of a payment with its flags, so that a disputed payment is not shown as merely captured. */
import { useTranslation } from 'react-i18next';
import type { PaymentIntentFlag, PaymentIntentStatus } from '../../../../generated/web/documents.ts';
import { Status } from '../../ui/state/status.tsx';
import type { Tone } from '../../ui/state/tones.ts';
import { paymentFlags } from './list/payment-filters.ts';
import styles from './payment-status.module.css';

const tones = {
  DISPUTED: 'bad',
  UNDELIVERED: 'bad',
  LATE: 'bad',
  MISPAID: 'bad',
  PARTIALLY_REFUNDED: 'wait',
} as const satisfies Record<PaymentIntentFlag, Tone>;

type PaymentStatusProps = {
  status: PaymentIntentStatus;
  flags: readonly PaymentIntentFlag[];
  /** For a row of a list, which has space for the most urgent flag only. */
  isInList?: boolean;
};

export function PaymentStatus({ status, flags, isInList }: PaymentStatusProps) {
  const { t } = useTranslation();
  if (flags.length === 0) return <Status status={status} />;
  const sorted = paymentFlags.filter((flag) => flags.includes(flag));
  const shown = isInList ? sorted.slice(0, 1) : sorted;
  const rest = sorted.slice(shown.length).map((flag) => t(`everywhere.flag.${flag}`));
  return (
    <span className={styles.badges}>
      {shown.map((flag) => (
        <Status key={flag} status={flag} tone={tones[flag]}>
          {t(`everywhere.flag.${flag}`)}
          {rest.length > 0 && (
            <span title={rest.join(', ')}>
              <span aria-hidden="true">+{rest.length}</span>
              <span className="visually-hidden">, {rest.join(', ')}</span>
            </span>
          )}
        </Status>
      ))}
      <span className={isInList ? styles.beside : undefined}>
        <Status status={status} tone="quiet" />
      </span>
    </span>
  );
}
