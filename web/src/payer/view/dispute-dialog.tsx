/**
 * The dispute of a payment. While the gateway is available, the payer signs, and the gateway sends the dispute free of charge together with
 * the payer's message to the merchant. Otherwise, the payer sends the dispute, which the contract accepts as well.
 */
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PayerDisputeDocument } from '../../../../generated/web/documents.ts';
import { disputeCall } from '../../../../src/escrow/calldata.ts';
import { disputeTypedData } from '../../../../src/escrow/dispute-request.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../ui/button/button.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { signByWallet } from '../../wallet/evm/ask-wallet.ts';
import { switchWallet } from '../../wallet/evm/use-wallet.ts';
import { walletFault } from '../../wallet/evm/wallet-fault.ts';
import type { HeldPayment } from '../holdings/holding.ts';
import { CallButton, SendFaultNote } from './call-button.tsx';
import type { Acting } from './known-state.ts';
import styles from './payer.module.css';
import { StartOver } from './start-over.tsx';
import { useTurn } from './use-turn.ts';

const REASON_LENGTH = 500;

/** The method is chosen when the dialog opens, so that one failed poll does not replace the form that the payer is filling in. */
export type Disputing = {
  isOpen: boolean;
  /** The payment intent that the gateway is asked to dispute. Null if the payer sends the dispute. */
  intentId: string | null;
};

type DisputeDialogProps = Disputing & {
  payment: HeldPayment;
  onClose: () => void;
  acting: Acting;
  card: RefObject<HTMLElement | null>;
};

export function DisputeDialog({ payment, isOpen, intentId, onClose, acting, card }: DisputeDialogProps) {
  const { t } = useTranslation();
  const title = t('payer.dispute.title');
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} about={t('payer.dispute.about')} place={card}>
      {intentId !== null ? (
        <RelayedDispute payment={payment} intentId={intentId} acting={acting} onClose={onClose} />
      ) : (
        <OwnDispute payment={payment} acting={acting} onClose={onClose} />
      )}
    </Dialog>
  );
}

type Part = { payment: HeldPayment; acting: Acting; onClose: () => void };

function RelayedDispute({ payment, intentId, acting, onClose }: Part & { intentId: string }) {
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  const [isAsked, setAsked] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const [isSent, setSent] = useState(false);
  const isMissing = reason.trim() === '';
  const { isWaiting, take, startOver } = useTurn();

  const dispute = async (signal: AbortSignal) => {
    setAsked(true);
    setFault(undefined);
    if (isMissing) return;
    try {
      const { chainId, escrow, id } = payment;
      await switchWallet(chainId);
      const typedData = disputeTypedData({ chainId, escrow, id });
      signal.throwIfAborted();
      const signature = await signByWallet({ chainId, account: acting.wallet, typedData });
      signal.throwIfAborted();
      const input = { reason: reason.trim(), signature };
      await ask(PayerDisputeDocument, { id: intentId, input }, { credential: acting.credential ?? {} });
      setSent(true);
      await acting.refresh();
    } catch (error) {
      if (!signal.aborted) setFault(error);
    }
  };

  if (isSent) {
    return (
      <>
        <Note tone="good" title={t('payer.dispute.sent')}>
          {t('payer.dispute.sentWords')}
        </Note>
        <div className={styles.buttons}>
          <Button onPress={onClose}>{t('everywhere.close')}</Button>
        </div>
      </>
    );
  }
  return (
    <div className={styles.stack}>
      <TextArea
        label={t('payer.dispute.reason')}
        hint={t('payer.dispute.reasonHint')}
        error={isAsked && isMissing ? t('payer.dispute.reasonMissing') : undefined}
        rows={4}
        maxLength={REASON_LENGTH}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {fault !== undefined &&
        (fault instanceof ApiError ? (
          <ErrorNote error={fault} />
        ) : (
          <SendFaultNote fault={{ kind: walletFault(fault) }} />
        ))}
      <div className={styles.buttons}>
        <Button look="primary" busyWords={t('payer.busy.sign')} onPress={() => take(dispute)}>
          {t('payer.dispute.sign')}
        </Button>
      </div>
      {isWaiting && <StartOver startOver={startOver} />}
    </div>
  );
}

function OwnDispute({ payment, acting, onClose }: Part) {
  const { t } = useTranslation();
  const { chainId, escrow, terms } = payment;
  return (
    <div className={styles.stack}>
      <p className={styles.soft}>{t('payer.dispute.own')}</p>
      <CallButton
        look="primary"
        chainId={chainId}
        call={disputeCall({ escrow, terms })}
        acting={acting}
        onDone={onClose}
      >
        {t('payer.dispute.send')}
      </CallButton>
    </div>
  );
}
