/** What happens in this tab while it is paid: the chosen way, the quote, what was signed and sent. Pure. */
import type { Hex } from 'viem';
import type { Work } from '../steps.ts';
import type { CheckedStep } from './check-steps.ts';
import type { Method, Priced } from './ways.ts';

/** A quote contains everything that is shown about it, because the ways to pay change while it is locked. */
export type Prepared = Priced & {
  quoteId: string;
  method: Method;
  walletAddress: string;
  /** Milliseconds. */
  expiresAt: number;
  /** Empty if they differed from the screen. Nothing is then requested from the wallet. */
  steps: readonly CheckedStep[];
  isChecked: boolean;
};

/** A payment that this tab's wallet has sent. No other is requested until this one can no longer succeed. */
export type Sent = {
  quoteId: string;
  chainId: number;
  /** On Solana its signature. */
  txHash: string;
  /** Milliseconds, by the gateway's clock. */
  sentAt: number;
  /** Milliseconds, by the chain's clock. The payment is not accepted in a later block. */
  payBy: number;
};

/** TX_FAILED: it reverted. NOT_SEEN: it was never seen, and its deadline has passed. */
export type Abandonment = 'TX_FAILED' | 'NOT_SEEN';

export type PaymentState = {
  tokenKey: string | undefined;
  method: Method | undefined;
  prepared: Prepared | undefined;
  /** Steps of the quote that the wallet has done. */
  done: number;
  signatures: Readonly<Partial<Record<'permit' | 'consent' | 'receive', Hex>>>;
  sent: Sent | undefined;
  /**
   * The time (milliseconds, by the gateway's clock) until which a payment may appear if the wallet did not report whether it sent it. It
   * outlives quotes and choices, and ends only at this time or when the payer denies the payment.
   */
  unsureUntil: number | undefined;
  /** The same while the wallet has not responded to the request to send it. */
  askedUntil: number | undefined;
  /** The wallet rejected the batch, so the steps are requested one by one. */
  isBatchRefused: boolean;
  abandonedQuoteId: string | undefined;
  work: Work | undefined;
  fault: string | undefined;
};

export type PaymentEvent =
  | { happened: 'chosen'; tokenKey: string; method?: Method }
  | { happened: 'started'; work: Work }
  | { happened: 'prepared'; prepared: Prepared }
  | { happened: 'signed'; name: 'permit' | 'consent' | 'receive'; signature: Hex }
  | { happened: 'mined' }
  | { happened: 'sent'; sent: Sent }
  | { happened: 'asked'; until: number }
  | { happened: 'batchRefused' }
  | { happened: 'doubted'; until: number }
  | { happened: 'denied' }
  | { happened: 'confirmed' }
  | { happened: 'finished' }
  | { happened: 'failed'; fault: string }
  | { happened: 'abandoned'; quoteId: string; fault: Abandonment }
  | { happened: 'dropped' }
  | { happened: 'restarted' };

export const noPayment: PaymentState = {
  tokenKey: undefined,
  method: undefined,
  prepared: undefined,
  done: 0,
  signatures: {},
  sent: undefined,
  unsureUntil: undefined,
  askedUntil: undefined,
  isBatchRefused: false,
  abandonedQuoteId: undefined,
  work: undefined,
  fault: undefined,
};

const endingFaults = new Set(['QUOTE_EXPIRED', 'BATCH_PARTIAL']);
const noQuote = { prepared: undefined, done: 0, signatures: {} } as const;

export function afterPaymentEvent(state: PaymentState, event: PaymentEvent): PaymentState {
  switch (event.happened) {
    case 'chosen':
      return { ...state, ...noQuote, tokenKey: event.tokenKey, method: event.method, fault: undefined };
    case 'started':
      return { ...state, work: event.work, fault: undefined };
    case 'prepared':
      return { ...state, ...noQuote, prepared: event.prepared, work: undefined };
    case 'signed':
      return {
        ...state,
        done: state.done + 1,
        signatures: { ...state.signatures, [event.name]: event.signature },
      };
    case 'mined':
      return { ...state, done: state.done + 1 };
    case 'sent':
      return { ...state, done: state.done + 1, sent: event.sent, askedUntil: undefined, unsureUntil: undefined };
    case 'asked':
      return { ...state, askedUntil: event.until };
    case 'batchRefused':
      return { ...state, isBatchRefused: true, askedUntil: undefined };
    case 'doubted':
      return { ...state, unsureUntil: event.until, askedUntil: undefined, fault: 'UNSURE' };
    case 'denied':
      return { ...state, unsureUntil: undefined, fault: undefined };
    case 'confirmed':
      return { ...state, work: undefined };
    case 'finished':
      return { ...state, work: undefined, askedUntil: undefined };
    case 'failed':
      // A quote that was refused as expired is unusable, whatever this browser's clock shows, and so is one that is already approved.
      return {
        ...state,
        work: undefined,
        askedUntil: undefined,
        fault: event.fault,
        prepared:
          endingFaults.has(event.fault) && state.prepared ? { ...state.prepared, expiresAt: 0 } : state.prepared,
      };
    case 'abandoned':
      return {
        ...state,
        ...noQuote,
        work: undefined,
        sent: undefined,
        abandonedQuoteId: event.quoteId,
        fault: event.fault,
      };
    case 'restarted':
      // The wallet may still send what was requested.
      if (state.askedUntil !== undefined)
        return { ...state, work: undefined, unsureUntil: state.askedUntil, askedUntil: undefined, fault: 'UNSURE' };
      return { ...state, ...noQuote, work: undefined, fault: 'STARTED_OVER' };
    case 'dropped':
      return { ...state, ...noQuote, work: undefined, fault: undefined };
    default:
      return event satisfies never;
  }
}
