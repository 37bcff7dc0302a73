/** One payment: its merchant, where the money is, what happens next, and the action that is available. */
import { type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { reclaimCall, resolveByTimeoutCall } from '../../../../src/escrow/calldata.ts';
import type { EscrowState } from '../../../../src/escrow/read-escrow-state.ts';
import { PayersDispute } from '../../disputes/payers-dispute.tsx';
import { PayeeContact } from '../../refunds/payee-contact.tsx';
import { PayerRefunds } from '../../refunds/payer-refunds.tsx';
import { refundSums } from '../../refunds/refund-summary.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Amount } from '../../ui/amounts/amount.tsx';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import type { Tone } from '../../ui/state/tones.ts';
import type { HeldPayment } from '../holdings/holding.ts';
import { actionOf, collectable, type Outlook, outlookOf } from '../holdings/payment-outlook.ts';
import { CallButton } from './call-button.tsx';
import { DisputeDialog, type Disputing } from './dispute-dialog.tsx';
import type { Acting, StateSource } from './known-state.ts';
import { MerchantHead } from './merchant-head.tsx';
import styles from './payer.module.css';
import { tokenAmount } from './token-amount.ts';

type PaymentCardProps = {
  payment: HeldPayment;
  state: EscrowState | null;
  source: StateSource;
  /** The current time on its chain, in unix seconds. */
  now: number;
  /** Whether some of its money could not be sent to the wallet. */
  hasCredit: boolean;
  acting: Acting;
};

export function PaymentCard({ payment, state, source, now, hasCredit, acting }: PaymentCardProps) {
  const { t } = useTranslation();
  const { terms, reported, chainId } = payment;
  const next: Outlook = state ? outlookOf(terms, state, now) : { kind: 'UNKNOWN' };
  const outlook = hasCredit ? collectable(next) : next;
  const isRefunded = outlook.kind === 'RETURNED' && refundSums(reported?.refunds ?? []).refunded > 0n;
  const card = useRef<HTMLElement>(null);
  return (
    <article
      ref={card}
      tabIndex={-1}
      className={styles.item}
      aria-label={t('payer.payment', { name: reported?.merchant.name ?? terms.merchant })}
    >
      <div className={styles.itemHead}>
        <MerchantHead merchant={reported?.merchant} address={terms.merchant} about={reported?.lines.join(', ')} />
        <Amount fiat={reported?.fiat} token={tokenAmount(chainId, terms.token, terms.amount)} />
      </div>
      <div className={styles.outlook}>
        <Status status={outlook.kind} tone={tones[outlook.kind]}>
          {t(`payer.state.${outlook.kind}`)}
        </Status>
        <p>{isRefunded ? t('payer.outlook.REFUNDED') : <OutlookWords outlook={outlook} />}</p>
        {hasCredit && outlook.kind !== 'COLLECTABLE' && <p>{t('payer.credits.part')}</p>}
      </div>
      {reported && <PayerRefunds refunds={reported.refunds} payee={reported.merchant.name} />}
      <PaymentAction payment={payment} outlook={outlook} acting={acting} card={card} />
      {reported?.disputeId && acting.credential && (
        <PayersDispute disputeId={reported.disputeId} credential={acting.credential} />
      )}
      {reported && (
        <PayeeContact contact={reported.contact} payee={reported.merchant.name} reference={reported.intentId} />
      )}
      <p className={styles.source}>
        {t(`payer.source.${source}`)}
        {reported?.txHash && (
          <span className={styles.hash}>
            <Address value={reported.txHash} chainId={chainId} kind="transaction" />
          </span>
        )}
      </p>
    </article>
  );
}

const tones: Record<Outlook['kind'], Tone> = {
  HELD: 'wait',
  RECLAIMABLE: 'wait',
  DISPUTABLE: 'quiet',
  SETTLING: 'quiet',
  DISPUTED: 'wait',
  DISPUTE_OVERDUE: 'wait',
  RETURNED: 'good',
  COLLECTABLE: 'wait',
  SETTLED: 'good',
  RESOLVED: 'good',
  UNKNOWN: 'quiet',
};

function OutlookWords({ outlook }: { outlook: Outlook }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const at = 'at' in outlook ? formats.absolute(new Date(outlook.at * 1000)) : '';
  const share = 'payerBps' in outlook ? formats.count(outlook.payerBps / 100) : '';
  return t(`payer.outlook.${outlook.kind}`, { at, share });
}

type PaymentActionProps = {
  payment: HeldPayment;
  outlook: Outlook;
  acting: Acting;
  card: RefObject<HTMLElement | null>;
};

/** The dialog stays open when the payment changes, because a successful dispute makes the payment no longer disputable. */
function PaymentAction({ payment, outlook, acting, card }: PaymentActionProps) {
  const { t } = useTranslation();
  const [disputing, setDisputing] = useState<Disputing>({ isOpen: false, intentId: null });
  const action = actionOf(outlook);
  const open = () => {
    const intentId = acting.gateway === 'ANSWERS' ? (payment.reported?.intentId ?? null) : null;
    setDisputing({ isOpen: true, intentId });
  };
  return (
    <>
      {action === 'dispute' && (
        <div className={styles.buttons}>
          <Button onPress={open}>{t('payer.dispute.open')}</Button>
        </div>
      )}
      <DisputeDialog
        {...disputing}
        payment={payment}
        onClose={() => setDisputing((before) => ({ ...before, isOpen: false }))}
        acting={acting}
        card={card}
      />
      {(action === 'reclaim' || action === 'endDispute') && (
        <ActionCall payment={payment} action={action} acting={acting} />
      )}
    </>
  );
}

type ActionCallProps = { payment: HeldPayment; action: 'reclaim' | 'endDispute'; acting: Acting };

function ActionCall({ payment: { escrow, terms, chainId }, action, acting }: ActionCallProps) {
  const { t } = useTranslation();
  const call = action === 'reclaim' ? reclaimCall({ escrow, terms }) : resolveByTimeoutCall({ escrow, terms });
  return (
    <CallButton look="primary" chainId={chainId} call={call} acting={acting}>
      {t(`payer.act.${action}`)}
    </CallButton>
  );
}
