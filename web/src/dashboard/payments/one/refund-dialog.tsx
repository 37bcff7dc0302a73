/** A refund: its amount, the amount that is left after it, and the reason. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PaymentRefundDocument, PaymentStoryDocument } from '../../../../../generated/web/documents.ts';
import { chainOf } from '../../../settings.ts';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { plainDecimal } from '../../../ui/formats/money.ts';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { useToasts } from '../../../ui/overlays/toasts.tsx';
import { FormDialog } from '../../resources/form-dialog.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { symbolOf } from './payment-money.ts';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';
import { planRefund, type RefundChoice, type RefundPlan } from './refund-size.ts';

const REASON_LENGTH = 500;

export function RefundDialog({ payment, onClose }: { payment: PaymentStory; onClose: () => void }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const showToast = useToasts();
  const [choice, setChoice] = useState<RefundChoice>({ kind: 'all' });
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const decimals = payment.cryptoTokenDecimals ?? 0;
  const remaining = BigInt(payment.leftoverAmount ?? '0');
  const plan = planRefund(choice, { remaining, decimals });
  const amount = (units: bigint) => `${formats.token(units, decimals).exact} ${symbolOf(payment)}`;
  const refund = useApiMutation(PaymentRefundDocument, { changes: [PaymentStoryDocument] });
  const isReasonMissing = reason.trim() === '';
  const send = () => {
    setTried(true);
    if (!plan.isGood || isReasonMissing) return;
    const done = () => {
      showToast({ title: t('payments.refund.asked'), more: t('payments.story.refundPending') });
      onClose();
    };
    refund.mutate({ id: payment.id, input: { ...plan.input, reason } }, { onSuccess: done });
  };
  return (
    <FormDialog
      onClose={onClose}
      onSend={send}
      isBusy={refund.isPending}
      busyWords={t('payments.refund.sending')}
      error={refund.error}
      title={t('payments.refund.title')}
      about={t('payments.refund.about', { left: amount(remaining) })}
      action={
        plan.isGood ? t('payments.refund.send', { amount: amount(plan.units) }) : t('payments.refund.sendNothing')
      }
    >
      <Size
        payment={payment}
        choice={choice}
        onChoose={setChoice}
        plan={plan}
        isTried={isTried}
        remaining={remaining}
      />
      <dl className={styles.preview} aria-live="polite">
        <div>
          <dt>{t('payments.refund.back')}</dt>
          <dd data-figure="back">{plan.isGood ? amount(plan.units) : '–'}</dd>
        </div>
        <div>
          <dt>{t('payments.refund.leftover')}</dt>
          <dd data-figure="leftover">{plan.isGood ? amount(plan.remainingAfter) : '–'}</dd>
        </div>
      </dl>
      <TextArea
        label={t('payments.refund.reason')}
        hint={t('payments.refund.reasonHint')}
        name="reason"
        maxLength={REASON_LENGTH}
        value={reason}
        error={isTried && isReasonMissing ? t('payments.refund.reasonMissing') : undefined}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}

type SizeProps = {
  payment: PaymentStory;
  choice: RefundChoice;
  onChoose: (choice: RefundChoice) => void;
  plan: RefundPlan;
  isTried: boolean;
  remaining: bigint;
};

function Size({ payment, choice, onChoose, plan, isTried, remaining }: SizeProps) {
  const { t } = useTranslation();
  const decimals = payment.cryptoTokenDecimals ?? 0;
  // A vault on Solana can only be refunded in full.
  const isFullOnly =
    payment.authorizationChainId !== null && chainOf(payment.authorizationChainId)?.family === 'SOLANA';
  if (isFullOnly) return <p className={styles.soft}>{t('payments.refund.wholeOnly')}</p>;
  const kinds = [
    { kind: 'all' },
    { kind: 'amount', text: plainDecimal(remaining, decimals) },
    { kind: 'percent', text: '50' },
  ] as const satisfies RefundChoice[];
  const isEmpty = !plan.isGood && plan.fault === 'empty';
  const error = plan.isGood || (isEmpty && !isTried) ? undefined : t(`payments.refund.faults.${plan.fault}`);
  return (
    <>
      <fieldset className={styles.choices}>
        <legend>{t('payments.refund.howMuch')}</legend>
        {kinds.map((one) => (
          <label key={one.kind}>
            <input type="radio" name="size" checked={choice.kind === one.kind} onChange={() => onChoose(one)} />
            {t(`payments.refund.kinds.${one.kind}`)}
          </label>
        ))}
      </fieldset>
      {choice.kind !== 'all' && (
        <TextField
          label={
            choice.kind === 'amount'
              ? t('payments.refund.amountIn', { symbol: symbolOf(payment) })
              : t('payments.refund.percent')
          }
          name={choice.kind}
          inputMode="decimal"
          value={choice.text}
          error={error}
          onChange={(event) => onChoose({ kind: choice.kind, text: event.target.value })}
        />
      )}
    </>
  );
}
