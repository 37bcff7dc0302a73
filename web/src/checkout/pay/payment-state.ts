/** What happens in this tab while it is paid: the chosen way, the quote, what was signed and sent. Pure. */
import type { Hex } from 'viem';
import type { Work } from '../steps.ts';
import type { CheckedStep } from './check-steps.ts';
import type { Method, Priced } from './ways.ts';

/** A quote carries all that is said of it: the ways around it change while it is held. */
export type Prepared = Priced & {
  quoteId: string;
  method: Method;
  walletAddress: string;
  /** Milliseconds. */
  expiresAt: number;
  /** Empty where they were not as shown: then nothing of it is asked of the wallet. */
  steps: readonly CheckedStep[];
  isChecked: boolean;
};

/** A payment that this tab's wallet has sent itself: from then on no other is asked for, until this one cannot come any more. */
export type Sent = {
  quoteId: string;
  chainId: number;
  /** On Solana its signature. */
  txHash: string;
  /** Milliseconds, by the gateway's clock. */
  sentAt: number;
  /** Milliseconds, by the chain's: what is in no block by then is not taken. */
  payBy: number;
};

/** TX_FAILED: it was seen to be reverted. NOT_SEEN: it was seen nowhere, and its time is over. */
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
   * Until then (milliseconds, by the gateway's clock) a payment may come of which the wallet did not say whether it sent it.
   * It outlives quotes and choices: only its time or the payer's own word ends it.
   */
  unsureUntil: number | undefined;
  /** The same while the wallet is asked to send it and has not answered. */
  askedUntil: number | undefined;
  /** The wallet takes no batch after all: its steps are asked for one by one. */
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

const spent = new Set(['QUOTE_EXPIRED', 'BATCH_PARTIAL']);
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
      // A quote that was refused as too old is spent, whatever this browser's clock says, and so is one whose approval stands already.
      return {
        ...state,
        work: undefined,
        askedUntil: undefined,
        fault: event.fault,
        prepared: spent.has(event.fault) && state.prepared ? { ...state.prepared, expiresAt: 0 } : state.prepared,
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
      // What the wallet was asked to send it may still send.
      if (state.askedUntil !== undefined)
        return { ...state, work: undefined, unsureUntil: state.askedUntil, askedUntil: undefined, fault: 'UNSURE' };
      return { ...state, ...noQuote, work: undefined, fault: 'STARTED_OVER' };
    case 'dropped':
      return { ...state, ...noQuote, work: undefined, fault: undefined };
    default:
      return event satisfies never;
  }
}
