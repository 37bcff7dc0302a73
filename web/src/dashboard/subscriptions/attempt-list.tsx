/** The attempts to charge an invoice, newest first. */
import { useTranslation } from 'react-i18next';
import type { InvoicePageQuery } from '../../../../generated/web/documents.ts';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import styles from './subscriptions.module.css';

type Attempt = InvoicePageQuery['invoice']['attempts'][number];

export function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  const { t } = useTranslation();
  return (
    <ol className={styles.attempts}>
      {attempts.map(({ id, status, createdAt, endedAt, error }) => (
        <li key={id} className={styles.attempt}>
          <Status status={status} />
          <span>{error && t(`subscriptions.cause.${error.code}`, { defaultValue: error.message })}</span>
          <span className={styles.quiet}>
            <Time at={endedAt ?? createdAt} />
          </span>
        </li>
      ))}
    </ol>
  );
}
