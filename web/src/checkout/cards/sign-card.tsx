/** The locked quote, a sentence for each signature that it requires, and a note on its safety. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { quoteRemainingMs } from '../../settings.ts';
import { classNames } from '../../ui/class-names.ts';
import { countdown } from '../../ui/formats/time.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Icon } from '../../ui/icon.tsx';
import { Steps } from '../../ui/state/steps.tsx';
import type { Prepared } from '../pay/payment-state.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { stepWords } from './step-words.ts';

const LAST_MINUTE_MS = 60_000;

type SignCardProps = {
  prepared: Prepared;
  done: number;
  /** Milliseconds, by the gateway's clock. */
  now: number;
  often: string | null;
  isTrial: boolean;
  isRenewal: boolean;
  /** The wallet performs the remaining steps as a batch. */
  isBatch: boolean;
  couponTerms: string | null;
  disputeSeconds: number;
  notice: ReactNode;
  who: ReactNode;
  children: ReactNode;
};

export function SignCard(props: SignCardProps) {
  const {
    prepared,
    done,
    now,
    often,
    isTrial,
    isRenewal,
    isBatch,
    couponTerms,
    disputeSeconds,
    notice,
    who,
    children,
  } = props;
  const { t } = useTranslation();
  const formats = useFormats();
  const remainingMs = quoteRemainingMs(prepared.expiresAt, now);
  const amount = formats.token(prepared.cryptoAmount, prepared.decimals);
  const isUrgent = remainingMs < LAST_MINUTE_MS;
  return (
    <div className={styles.stack}>
      {who}
      <CardHead title={t('checkout.sign.title')} />
      <div className={styles.quote}>
        <span className={styles.sum} title={`${amount.exact} ${prepared.symbol}`}>
          {amount.words} {prepared.symbol}
        </span>
        <span className={styles.small}>{prepared.chainName}</span>
        <span className={classNames(styles.small, isUrgent && styles.urgent)} role={isUrgent ? 'timer' : undefined}>
          {remainingMs > 0 ? t('checkout.sign.left', { time: countdown(remainingMs) }) : t('checkout.sign.over')}
        </span>
      </div>
      {prepared.isChecked && (
        <Steps
          label={t('checkout.sign.title')}
          steps={prepared.steps.map((step, index) => ({
            key: step.kind,
            state: index < done ? 'done' : index === done || isBatch ? 'current' : 'upcoming',
            title: stepWords(step, { t, formats, token: prepared, often, isTrial, isRenewal, now, couponTerms }),
          }))}
        />
      )}
      {isBatch && (
        <p className={styles.safe} data-batch>
          <Icon name="check" />
          <span>{t('checkout.sign.batch')}</span>
        </p>
      )}
      <p className={styles.safe}>
        <Icon name="shield" />
        <span>
          {disputeSeconds > 0
            ? t('checkout.sign.safe', { span: formats.span(disputeSeconds) })
            : t('checkout.sign.safeWithout')}
        </span>
      </p>
      {notice}
      {children}
    </div>
  );
}
