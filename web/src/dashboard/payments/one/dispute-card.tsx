/** The payer's dispute: the statements, the next step, and the outcome. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Status } from '../../../ui/state/status.tsx';
import { Time } from '../../../ui/state/time.tsx';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';

type DisputeCardProps = { payment: PaymentStory; dispute: NonNullable<PaymentStory['dispute']> };

export function DisputeCard({ payment, dispute }: DisputeCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const isOpen = dispute.status === 'OPEN';
  const isConceding = payment.transactions.some(({ type, status }) => type === 'RESOLVE' && status === 'PENDING');
  return (
    <section aria-labelledby="dispute" className={styles.card} data-dispute={dispute.status}>
      <div className={styles.badges}>
        <h2 id="dispute">{t('payments.dispute.title')}</h2>
        <Status status={dispute.status} {...(isOpen ? { tone: 'bad' } : {})} />
        <span className={styles.soft}>
          <Time at={dispute.createdAt} />
        </span>
      </div>
      <div>
        <h3>{t('payments.dispute.reason')}</h3>
        <p className={styles.quoted}>{dispute.reason ?? t('payments.dispute.silent')}</p>
      </div>
      {dispute.evidence && (
        <div>
          <h3>{t('payments.dispute.evidence')}</h3>
          <p className={styles.quoted}>{dispute.evidence}</p>
        </div>
      )}
      <p>
        <Link href={`/disputes/${dispute.id}`}>{t(isOpen ? 'disputes.toDispute' : 'disputes.toResolved')}</Link>
      </p>
      {isOpen ? (
        <p className={styles.soft}>
          {isConceding
            ? t('payments.dispute.conceding')
            : t('payments.dispute.open', { deadline: formats.absolute(new Date(dispute.deadline)) })}
        </p>
      ) : (
        <p className={styles.soft}>
          {dispute.payerBps === 0
            ? t('payments.dispute.won')
            : dispute.payerBps !== null && t('payments.dispute.share', { percent: formats.percent(dispute.payerBps) })}
          {dispute.resolvedAt && (
            <>
              {' · '}
              <Time at={dispute.resolvedAt} />
            </>
          )}
        </p>
      )}
    </section>
  );
}
