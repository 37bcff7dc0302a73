/** Actions that require only a confirmation: cancelling a payment, and conceding a dispute. */
import { useTranslation } from 'react-i18next';
import {
  PaymentCancelDocument,
  PaymentDisputeConcedeDocument,
  PaymentStoryDocument,
} from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToasts } from '../../../ui/overlays/toasts.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { symbolOf } from './payment-money.ts';
import type { PaymentStory } from './payment-steps.ts';

type ConfirmDialogProps = { kind: 'cancel' | 'concede'; payment: PaymentStory; onClose: () => void };

export function ConfirmDialog({ kind, payment, onClose }: ConfirmDialogProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const showToast = useToasts();
  const cancel = useApiMutation(PaymentCancelDocument, { changes: [PaymentStoryDocument] });
  const concede = useApiMutation(PaymentDisputeConcedeDocument, { changes: [PaymentStoryDocument] });
  const disputeId = payment.dispute?.id;
  const done = () => {
    showToast({ title: t(`payments.${kind}.asked`) });
    onClose();
  };
  const send = async () => {
    if (kind === 'cancel') await cancel.mutateAsync({ id: payment.id }).then(done, () => {});
    else if (disputeId) await concede.mutateAsync({ id: disputeId }).then(done, () => {});
  };
  const remaining = formats.token(payment.leftoverAmount ?? '0', payment.cryptoTokenDecimals ?? 0).exact;
  const isHeld = payment.status !== 'CREATED';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t(`payments.${kind}.title`)}
      about={t(`payments.${kind}.${isHeld ? 'aboutHeld' : 'about'}`, { amount: `${remaining} ${symbolOf(payment)}` })}
      actions={
        <>
          <Button onPress={onClose}>{t('payments.keep')}</Button>
          <Button look="danger" onPress={send} busyWords={t('payments.working')}>
            {t(`payments.${kind}.send`)}
          </Button>
        </>
      }
    >
      <ErrorNote error={cancel.error ?? concede.error} />
    </Dialog>
  );
}
