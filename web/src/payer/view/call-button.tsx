/** A button that sends one call to the contract, and shows its progress and its error. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Call } from '../../../../src/escrow/calldata.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { Note } from '../../ui/state/note.tsx';
import type { Acting } from './known-state.ts';
import styles from './payer.module.css';
import { StartOver } from './start-over.tsx';
import { type SendFault, useSend } from './use-send.ts';

type CallButtonProps = {
  chainId: number;
  call: Call;
  acting: Acting;
  look?: 'primary' | 'plain' | 'danger';
  /** The explanation if the contract refuses the call. Defaults to the contract's own message. */
  refused?: string;
  isDisabled?: boolean;
  /** Called after the call is in a block. */
  onDone?: () => void;
  children: ReactNode;
};

export function CallButton(props: CallButtonProps) {
  const { chainId, call, acting, look = 'plain', refused, isDisabled, onDone, children } = props;
  const { t } = useTranslation();
  const { sending, send, startOver } = useSend();
  const press = async () => {
    const isDone = await send({ chainId, account: acting.wallet, call });
    const refreshed = acting.refresh();
    // A wallet that does not respond may be the only way to read its chain.
    if (!isDone) return;
    await refreshed;
    onDone?.();
  };
  const busy = sending.phase === 'chain' ? t('payer.busy.chain') : t('payer.busy.wallet');
  return (
    <div className={styles.call}>
      <div className={styles.buttons}>
        <Button look={look} busyWords={busy} isDisabled={isDisabled || sending.phase === 'done'} onPress={press}>
          {sending.phase === 'done' ? t('payer.busy.done') : children}
        </Button>
        {sending.hash && <Address value={sending.hash} chainId={chainId} kind="transaction" />}
      </div>
      {sending.phase === 'wallet' && <StartOver startOver={startOver} />}
      {sending.fault && <SendFaultNote fault={sending.fault} refused={refused} />}
    </div>
  );
}

export function SendFaultNote({ fault, refused }: { fault: SendFault; refused?: string | undefined }) {
  const { t } = useTranslation();
  const isRefused = fault.kind === 'REFUSED' || fault.kind === 'REVERTED';
  const isOwnDecision = fault.kind === 'REJECTED' || fault.kind === 'STARTED_OVER';
  return (
    <Note
      tone={isOwnDecision ? 'quiet' : fault.kind === 'SLOW' ? 'wait' : 'bad'}
      isUrgent={!isOwnDecision}
      title={t(`payer.wallet.${fault.kind}`)}
    >
      {isRefused && refused !== undefined ? refused : fault.why}
    </Note>
  );
}
