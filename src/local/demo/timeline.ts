/** The timeline of a payment: what the payer did and what the gateway reported, with the time in between. */
import type { PaymentUpdate } from './follow-payment.ts';

export type Moment = {
  /** A status in capitals, or an action of the payer. */
  what: string;
  blockNumber?: string;
  txHash?: string;
  /** Time since the previous moment. */
  afterMs: number;
};

/** The type of the transaction that proves an event. */
const evidence: Record<string, string> = {
  'payment_intent.pending': 'AUTHORIZE',
  'payment_intent.authorized': 'AUTHORIZE',
  'payment_intent.captured': 'CAPTURE',
  'payment_intent.settled': 'SETTLE',
};

export type Timeline = {
  did(what: string, transaction?: { txHash: string; blockNumber: bigint }): void;
  /** Emits the events that are new. */
  emitNew(update: PaymentUpdate): void;
};

export function openTimeline(onMoment: (moment: Moment) => void): Timeline {
  const seen = new Set<number>();
  let lastMs = performance.now();
  const emit = (moment: Omit<Moment, 'afterMs'>) => {
    const now = performance.now();
    onMoment({ ...moment, afterMs: Math.round(now - lastMs) });
    lastMs = now;
  };
  return {
    did: (what, transaction) =>
      emit({ what, txHash: transaction?.txHash, blockNumber: transaction?.blockNumber.toString() }),
    emitNew(update) {
      for (const event of update.events) {
        if (seen.has(event.sequence)) continue;
        seen.add(event.sequence);
        const step = update.transactions.findLast((one) => one.type === evidence[event.type] && one.txHash !== null);
        emit({
          what: stateOf(event.type),
          txHash: step?.txHash ?? undefined,
          blockNumber: step?.blockNumber ?? undefined,
        });
      }
    },
  };
}

export function printMoment(moment: Moment): string {
  const block = moment.blockNumber === undefined ? '' : `block ${moment.blockNumber}`;
  return `  ${`+${moment.afterMs} ms`.padStart(10)}  ${moment.what.padEnd(34)} ${block.padEnd(12)} ${moment.txHash ?? ''}`.trimEnd();
}

function stateOf(type: string): string {
  return type === 'payment_intent.created' ? 'CREATED' : type.replace(/^payment_intent\./, '').toUpperCase();
}
