/** The events of the element. None of them is a proof of payment: deliver goods on a webhook, or after your server has queried the API. */

/** `held` waits for a capture by the merchant; `trial` begins a subscription without a payment. */
export type PaidOutcome = 'paid' | 'held' | 'subscribed' | 'trial';

export type PaidDetail = {
  sessionId: string;
  outcome: PaidOutcome;
  /** Null for a trial. */
  paymentIntentId: string | null;
};

/**
 * `UNREACHABLE`: the checkout did not appear in the frame, because the network failed or the app does not list this page's origin. The
 * element then shows a link to the payment page. The other codes give the reason why the session can no longer be paid.
 */
export type FailureCode = 'FAILED' | 'CANCELLED' | 'EXPIRED' | 'REFUNDED' | 'NOT_FOUND' | 'UNREACHABLE';

export type FailedDetail = {
  sessionId: string;
  code: FailureCode;
  /** False if the same session may still be paid. */
  isFinal: boolean;
};

export type ClosedDetail = {
  sessionId: string;
  /** Whether `sluice:paid` was dispatched before. */
  isPaid: boolean;
};

declare global {
  interface HTMLElementEventMap {
    'sluice:paid': CustomEvent<PaidDetail>;
    'sluice:failed': CustomEvent<FailedDetail>;
    'sluice:closed': CustomEvent<ClosedDetail>;
  }
}
