/** The history of a payment for the merchant, newest last. */
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Time } from '../../../ui/state/time.tsx';
import { type Moment, paymentMoments } from './payment-moments.ts';
import { symbolOf } from './payment-money.ts';
import type { PaymentStory } from './payment-steps.ts';
import styles from './technical/payment-timeline.module.css';

export function MomentList({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="moments" className={styles.timeline}>
      <h2 id="moments">{t('payments.story.title')}</h2>
      <ol className={styles.steps}>
        {paymentMoments(payment).map((moment) => (
          <MomentLine key={moment.key} moment={moment} payment={payment} />
        ))}
      </ol>
    </section>
  );
}

function MomentLine({ moment, payment }: { moment: Moment; payment: PaymentStory }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { name, state, units, fee, reason, error, failedDeliveries } = moment;
  const decimals = payment.cryptoTokenDecimals ?? 0;
  const figure = units === null ? null : formats.token(units, decimals);
  const { timelockEndsAt, settledAt } = payment;
  const isPaid = name === 'PAID' || name === 'CAPTURE';
  return (
    <li className={styles.step} data-moment={name} data-state={state}>
      <div className={styles.line}>
        <h3>
          {t(`payments.moments.${name}`, { defaultValue: t(`payments.story.steps.${name}`, { defaultValue: name }) })}
        </h3>
        {figure && (
          <span title={`${figure.exact} ${symbolOf(payment)}`}>
            {figure.words} {symbolOf(payment)}
          </span>
        )}
        <span className={styles.when}>
          <Time at={moment.at} />
        </span>
      </div>
      {isPaid && timelockEndsAt && !settledAt && payment.status === 'CAPTURED' && (
        <p className={styles.note}>
          {t('payments.moments.untilPayout', { at: formats.absolute(new Date(timelockEndsAt)) })}
        </p>
      )}
      {fee && (
        <p className={styles.note}>
          {t('payments.moments.afterFee', { amount: `${formats.token(fee, decimals).words} ${symbolOf(payment)}` })}
        </p>
      )}
      {reason && <p className={styles.note}>{t('payments.story.reason', { reason })}</p>}
      {name === 'REFUNDING' && <p className={styles.note}>{t('payments.story.refundPending')}</p>}
      {name === 'REFUND_FAILED' && <p className={styles.note}>{t('payments.moments.refundFailedWords')}</p>}
      {error && <p className={styles.fault}>{error}</p>}
      {failedDeliveries > 0 && (
        <p className={styles.fault}>{t('payments.moments.deliveriesFailed', { count: failedDeliveries })}</p>
      )}
    </li>
  );
}
