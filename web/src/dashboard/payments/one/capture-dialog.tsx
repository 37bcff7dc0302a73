/** The capture of a held payment, in full or in part. The rest returns to the payer. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PaymentCaptureDocument, PaymentStoryDocument } from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { plainDecimal } from '../../../ui/formats/money.ts';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToasts } from '../../../ui/overlays/toasts.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { symbolOf } from './payment-money.ts';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';
import { planRefund } from './refund-size.ts';

export function CaptureDialog({ payment, onClose }: { payment: PaymentStory; onClose: () => void }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const showToast = useToasts();
  const decimals = payment.cryptoTokenDecimals ?? 0;
  const held = BigInt(payment.leftoverAmount ?? '0');
  const [text, setText] = useState(plainDecimal(held, decimals));
  const plan = planRefund({ kind: 'amount', text }, { remaining: held, decimals });
  const amount = (units: bigint) => `${formats.token(units, decimals).exact} ${symbolOf(payment)}`;
  const capture = useApiMutation(PaymentCaptureDocument, { changes: [PaymentStoryDocument] });
  const send = async () => {
    if (!plan.isGood) return;
    const input = plan.remainingAfter === 0n ? {} : { amount: String(plan.units) };
    const done = () => {
      showToast({ title: t('payments.capture.asked') });
      onClose();
    };
    await capture.mutateAsync({ id: payment.id, input }).then(done, () => {});
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('payments.capture.title')}
      about={t('payments.capture.about', { held: amount(held) })}
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
          <Button look="primary" onPress={send} isDisabled={!plan.isGood} busyWords={t('payments.capture.sending')}>
            {t('payments.capture.send', { amount: plan.isGood ? amount(plan.units) : '' })}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <TextField
          label={t('payments.refund.amountIn', { symbol: symbolOf(payment) })}
          inputMode="decimal"
          value={text}
          error={plan.isGood ? undefined : t(`payments.refund.faults.${plan.fault}`)}
          onChange={(event) => setText(event.target.value)}
        />
        <dl className={styles.preview} aria-live="polite">
          <div>
            <dt>{t('payments.capture.returns')}</dt>
            <dd>{plan.isGood ? amount(plan.remainingAfter) : '–'}</dd>
          </div>
        </dl>
        <ErrorNote error={capture.error} />
      </div>
    </Dialog>
  );
}
