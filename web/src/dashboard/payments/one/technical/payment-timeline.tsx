/** The timeline from the first API call to the last delivery, newest step last. */
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../../ui/button/copy-button.tsx';
import { Status } from '../../../../ui/state/status.tsx';
import { Time } from '../../../../ui/state/time.tsx';
import { type PaymentStory, paymentSteps, type StoryEvent, type StoryStep } from '../payment-steps.ts';
import { LedgerLines } from './ledger-lines.tsx';
import styles from './payment-timeline.module.css';
import { TransactionFacts } from './transaction-facts.tsx';

export function PaymentTimeline({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="timeline" className={styles.timeline}>
      <h2 id="timeline">{t('payments.technical.steps')}</h2>
      <ol className={styles.steps}>
        {paymentSteps(payment).map((step) => (
          <Step key={step.key} step={step} payment={payment} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step, payment }: { step: StoryStep; payment: PaymentStory }) {
  const { t } = useTranslation();
  const { transaction, refund } = step;
  const source = step.name === 'created' ? payment.sourceType : null;
  return (
    <li className={styles.step} data-step={step.name} data-state={step.state}>
      <div className={styles.line}>
        <h3>{t(`payments.story.steps.${step.name}`, { defaultValue: step.name })}</h3>
        {transaction && <Status status={transaction.status} />}
        <span className={styles.when}>
          <Time at={step.at} />
        </span>
      </div>
      {source && <p className={styles.note}>{t(`payments.source.${source}`)}</p>}
      {refund && <p className={styles.note}>{t('payments.story.reason', { reason: refund.reason })}</p>}
      {transaction?.type === 'REFUND' && transaction.status === 'PENDING' && (
        <p className={styles.note}>{t('payments.story.refundPending')}</p>
      )}
      {transaction && <TransactionFacts transaction={transaction} payment={payment} />}
      {step.entries.length > 0 && <LedgerLines entries={step.entries} payment={payment} />}
      {step.events.map((event) => (
        <EventDetails key={event.id} event={event} />
      ))}
    </li>
  );
}

/** One event, the request that caused it, and its delivery to each webhook endpoint. */
function EventDetails({ event }: { event: StoryEvent }) {
  const { t } = useTranslation();
  return (
    <div className={styles.event} data-event={event.type}>
      <p className={styles.line}>
        <code>{event.type}</code>
        <span className={styles.soft}>{t('payments.story.sequence', { number: event.sequence })}</span>
        {event.finality && !event.finality.isFinal && (
          <span className={styles.soft}>{t('payments.story.reported', { ...event.finality })}</span>
        )}
      </p>
      {event.requestId && (
        <p className={styles.soft}>
          {t('payments.story.request')} <code>{event.requestId}</code>
          <CopyButton text={event.requestId} name={t('payments.story.request')} />
        </p>
      )}
      <ul className={styles.deliveries}>
        {event.deliveries.map((delivery) => (
          <li key={delivery.id} data-delivery={delivery.status}>
            <Status status={delivery.status} />{' '}
            <span className={styles.soft}>
              {t('payments.story.delivery', { count: delivery.attempts })}
              {delivery.responseStatus !== null && ` · HTTP ${delivery.responseStatus}`}
              {delivery.status === 'PENDING' && delivery.nextRetryAt && (
                <>
                  {' · '}
                  {t('payments.story.nextTry')} <Time at={delivery.nextRetryAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
