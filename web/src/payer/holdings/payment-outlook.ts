/** What happens next with a payment's money, and what its payer can do about it now. Times are unix seconds of its chain. */
import type { EscrowState } from '../../../../src/escrow/read-escrow-state.ts';
import type { PaymentTerms } from '../../../../src/escrow/terms.ts';

export type Outlook =
  /** Held; the merchant may take it until `at`. */
  | { kind: 'HELD'; at: number }
  /** Held, and the merchant's time is over: it can be taken back. */
  | { kind: 'RECLAIMABLE' }
  /** Taken; it can be disputed until `at`. */
  | { kind: 'DISPUTABLE'; at: number }
  /** Taken; it goes to the merchant from `at`, and can be disputed no more. */
  | { kind: 'SETTLING'; at: number }
  /** Disputed; from `at` anybody may end it, and the payer then gets `payerBps` of what is left. */
  | { kind: 'DISPUTED'; at: number; payerBps: number }
  | { kind: 'DISPUTE_OVERDUE'; payerBps: number }
  /** Back with the payer. */
  | { kind: 'RETURNED' }
  /** Nothing is left in it, but what went back could not be sent to the wallet and waits to be collected. */
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

/** The same of a payment of which something waits to be collected. */
export function collectable(outlook: Outlook): Outlook {
  return outlook.kind === 'RETURNED' ? { kind: 'COLLECTABLE' } : outlook;
}

export function actionOf(outlook: Outlook): PaymentAction | null {
  if (outlook.kind === 'RECLAIMABLE') return 'reclaim';
  if (outlook.kind === 'DISPUTABLE') return 'dispute';
  if (outlook.kind === 'DISPUTE_OVERDUE') return 'endDispute';
  return null;
}

/** Whether money of it still lies in the escrow. */
export function isOpen(state: EscrowState): boolean {
  return state.status === 'AUTHORIZED' || state.status === 'CAPTURED';
}
