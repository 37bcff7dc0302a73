/**
 * Derives the status of an intent from its accepted payment's state and the gateway's own decisions. Evidence takes precedence: a
 * decision counts only where it does not contradict the chain.
 */
import type { PaymentIntentStatus } from '../../prisma/client.ts';
import { isForPayer, type PaymentState } from './fold.ts';

export type Decisions = {
  /** It was cancelled, or its cancellation was requested, while the chain shows no payment. */
  cancelled: boolean;
  /** The capture failed for good; the hold is returned. */
  failed: boolean;
  /** A refund was requested and is not on the chain yet. */
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
