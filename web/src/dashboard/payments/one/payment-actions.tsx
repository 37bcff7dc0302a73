/** The available actions. Each opens a dialog that describes its effect before it runs. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button/button.tsx';
import { useDashboard } from '../../session/use-dashboard.ts';
import { allowedActions, type PaymentAction } from './allowed-actions.ts';
import { CaptureDialog } from './capture-dialog.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import type { PaymentStory } from './payment-steps.ts';
import { RefundDialog } from './refund-dialog.tsx';

export function PaymentActions({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const [open, setOpen] = useState<PaymentAction | null>(null);
  // Only for convenience: the API refuses viewers regardless of what the page shows.
  const actions = mayWrite ? allowedActions(payment) : [];
  const close = () => setOpen(null);
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action}
          look={action === 'capture' ? 'primary' : action === 'concede' ? 'danger' : 'plain'}
          onPress={() => setOpen(action)}
        >
          {t(`payments.actions.${action}`)}
        </Button>
      ))}
      {open === 'refund' && <RefundDialog payment={payment} onClose={close} />}
      {open === 'capture' && <CaptureDialog payment={payment} onClose={close} />}
      {(open === 'cancel' || open === 'concede') && <ConfirmDialog kind={open} payment={payment} onClose={close} />}
    </>
  );
}
