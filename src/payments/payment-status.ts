/**
 * The status of an intent, as the fold of its accepted payment's state and the gateway's own decisions. Evidence wins:
 * a decision counts only where the chain has nothing to say against it.
 */
import type { PaymentIntentStatus } from '../../prisma/client.ts';
import { isForPayer, type PaymentState } from './fold.ts';

export type Decisions = {
  /** It was cancelled, or asked to be, while the chain shows no payment. */
  cancelled: boolean;
  /** The capture was given up; the hold goes back. */
  failed: boolean;
  /** A refund was asked for and is not on the chain yet. */
  refundPending: boolean;
};

export function statusOf(state: PaymentState, decisions: Decisions): PaymentIntentStatus {
  switch (state.status) {
    case 'NONE':
      return decisions.cancelled ? 'CANCELLED' : 'CREATED';
    case 'AUTHORIZED':
      return decisions.failed ? 'FAILED' : 'AUTHORIZED';
    case 'VOIDED':
    case 'RECLAIMED':
      return decisions.failed ? 'FAILED' : 'CANCELLED';
    case 'CAPTURED':
      return decisions.refundPending ? 'REFUND_PENDING' : 'CAPTURED';
    case 'REFUNDED':
      return 'REFUNDED';
    case 'SETTLED':
      return 'SETTLED';
    case 'RESOLVED':
      return state.resolution && isForPayer(state.resolution) ? 'REFUNDED' : 'SETTLED';
    default:
      throw new Error(`No such status: ${String(state.status satisfies never)}`);
  }
}
