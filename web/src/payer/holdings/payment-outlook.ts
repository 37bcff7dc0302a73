/** What happens next with the money of a payment, and what its payer can do about it now. Times are unix seconds on its chain. */
import type { EscrowState } from '../../../../src/escrow/read-escrow-state.ts';
import type { PaymentTerms } from '../../../../src/escrow/terms.ts';

export type Outlook =
  /** Held. The merchant can capture it until `at`. */
  | { kind: 'HELD'; at: number }
  /** Held, and the merchant's time to capture it has expired. The payer can take it back. */
  | { kind: 'RECLAIMABLE' }
  /** Captured. It can be disputed until `at`. */
  | { kind: 'DISPUTABLE'; at: number }
  /** Captured. It is paid to the merchant from `at` on and can no longer be disputed. */
  | { kind: 'SETTLING'; at: number }
  /** Disputed. From `at` on, anyone can end the dispute, and the payer then receives `payerBps` of the remaining amount. */
  | { kind: 'DISPUTED'; at: number; payerBps: number }
  | { kind: 'DISPUTE_OVERDUE'; payerBps: number }
  /** Returned to the payer. */
  | { kind: 'RETURNED' }
  /** Nothing is left in it, but the returned money could not be sent to the wallet and can be claimed. */
  | { kind: 'COLLECTABLE' }
  | { kind: 'SETTLED' }
  | { kind: 'RESOLVED' }
  | { kind: 'UNKNOWN' };

export type PaymentAction = 'reclaim' | 'dispute' | 'endDispute';

export function outlookOf(terms: PaymentTerms, state: EscrowState, now: number): Outlook {
  switch (state.status) {
    case 'AUTHORIZED':
      return now > terms.captureBy ? { kind: 'RECLAIMABLE' } : { kind: 'HELD', at: terms.captureBy };
    case 'CAPTURED':
      return capturedOutlook(terms, state, now);
    case 'VOIDED':
    case 'RECLAIMED':
    case 'REFUNDED':
      return { kind: 'RETURNED' };
    case 'SETTLED':
      return { kind: 'SETTLED' };
    case 'RESOLVED':
      return { kind: 'RESOLVED' };
    case 'NONE':
      return { kind: 'UNKNOWN' };
    default:
      return state.status satisfies never;
  }
}

function capturedOutlook(terms: PaymentTerms, state: EscrowState, now: number): Outlook {
  const payerBps = terms.timeoutPayerBps;
  if (state.disputedAt !== 0) {
    const at = state.disputedAt + terms.disputeTimeout;
    return now >= at ? { kind: 'DISPUTE_OVERDUE', payerBps } : { kind: 'DISPUTED', at, payerBps };
  }
  const disputeBefore = state.capturedAt + terms.disputeWindow;
  if (now < disputeBefore) return { kind: 'DISPUTABLE', at: disputeBefore };
  return { kind: 'SETTLING', at: state.capturedAt + terms.timelock };
}

/** The same outlook for a payment of which money can be claimed. */
export function collectable(outlook: Outlook): Outlook {
  return outlook.kind === 'RETURNED' ? { kind: 'COLLECTABLE' } : outlook;
}

export function actionOf(outlook: Outlook): PaymentAction | null {
  if (outlook.kind === 'RECLAIMABLE') return 'reclaim';
  if (outlook.kind === 'DISPUTABLE') return 'dispute';
  if (outlook.kind === 'DISPUTE_OVERDUE') return 'endDispute';
  return null;
}

/** Whether the escrow still holds money of the payment. */
export function isOpen(state: EscrowState): boolean {
  return state.status === 'AUTHORIZED' || state.status === 'CAPTURED';
}
