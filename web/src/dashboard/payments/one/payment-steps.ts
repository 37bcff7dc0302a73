/**
 * The history of a payment as steps in time: the request, its transaction with the block, the ledger entries, and the events with their
 * recipients. Events and entries are grouped with the transaction that caused them.
 */
import type { PaymentStoryQuery } from '../../../../../generated/web/documents.ts';

export type PaymentStory = PaymentStoryQuery['paymentIntent'];
export type StoryTransaction = PaymentStory['transactions'][number];
export type StoryEvent = PaymentStory['events'][number];
export type StoryEntry = PaymentStory['ledger'][number];
export type StoryRefund = PaymentStory['refunds'][number];

export type StoryStep = {
  key: string;
  /** A transaction's type, or an event's type without its resource. */
  name: string;
  at: string;
  state: StoryTransaction['status'];
  transaction: StoryTransaction | null;
  refund: StoryRefund | null;
  entries: StoryEntry[];
  events: StoryEvent[];
};

/** The events that follow from each type of transaction. `pending` events follow from any transaction that is seen. */
const causes: Record<string, readonly StoryTransaction['type'][]> = {
  'payment_intent.pending': ['AUTHORIZE'],
  'payment_intent.authorized': ['AUTHORIZE'],
  'payment_intent.overpaid': ['AUTHORIZE'],
  'payment_intent.captured': ['CAPTURE'],
  'payment_intent.failed': ['CAPTURE'],
  'payment_intent.settled': ['SETTLE', 'RESOLVE'],
  'payment_intent.cancelled': ['VOID', 'RECLAIM'],
  'payment_intent.refund_pending': ['REFUND'],
  'payment_intent.partially_refunded': ['REFUND'],
  'payment_intent.refunded': ['REFUND', 'RESOLVE'],
  'payment_intent.refund_failed': ['REFUND'],
  'dispute.opened': ['DISPUTE'],
  'dispute.resolved': ['RESOLVE', 'REFUND'],
};
/** An event and its row are written in the same database transaction, but their times may differ by this. */
const SLACK_MS = 2_000;

export function paymentSteps(story: PaymentStory): StoryStep[] {
  const steps: StoryStep[] = story.transactions.map((transaction) => ({
    key: transaction.id,
    name: transaction.type,
    at: transaction.createdAt,
    state: transaction.status,
    transaction,
    refund: story.refunds.find(({ transactionId }) => transactionId === transaction.id) ?? null,
    entries: [],
    events: [],
  }));
  const onChain = [...steps];
  for (const event of story.events) {
    const step = stepOfEvent(onChain, event);
    if (step) step.events.push(event);
    else steps.push(ownStep(event));
  }
  for (const entry of story.ledger) (stepOfEntry(onChain, entry) ?? deliveryOf(steps, entry))?.entries.push(entry);
  return steps.sort(inTime);
}

/** Whether a step is still in progress, so that the page keeps polling. */
export function isMoving(story: PaymentStory): boolean {
  return (
    story.transactions.some(
      ({ status, finality }) => status === 'PENDING' || (finality !== null && finality !== 'FINAL'),
    ) || story.events.some(({ deliveries }) => deliveries.some(({ status }) => status === 'PENDING'))
  );
}

function ownStep(event: StoryEvent): StoryStep {
  const name = event.type.split('.')[1] ?? event.type;
  return {
    key: event.id,
    name,
    at: event.timestamp,
    state: 'CONFIRMED',
    transaction: null,
    refund: null,
    entries: [],
    events: [event],
  };
}

/** The kind of an entry is a transaction's type, with a number if it occurs again, and with REVERSE_ if its block was reorganized away. */
function stepOfEntry(steps: readonly StoryStep[], entry: StoryEntry): StoryStep | undefined {
  const type = entry.kind.replace(/^REVERSE_/, '').replace(/#\d+$/, '');
  const inHash = steps.filter(({ transaction }) => transaction?.txHash === entry.txHash);
  return inHash.find(({ name }) => name === type) ?? inHash[0];
}

/** A claim is not a transaction of the payment, so its entries are grouped with the delivery that was reported with them. */
function deliveryOf(steps: readonly StoryStep[], entry: StoryEntry): StoryStep | undefined {
  const apart = ({ at }: StoryStep) => Math.abs(Date.parse(at) - Date.parse(entry.createdAt));
  return steps.filter(({ name }) => name === 'payout_delivered').sort((left, right) => apart(left) - apart(right))[0];
}

/** The latest transaction of a matching type that is not newer than the event. */
function stepOfEvent(steps: readonly StoryStep[], event: StoryEvent): StoryStep | undefined {
  const types = causes[event.type] ?? [];
  const latestAt = Date.parse(event.timestamp) + SLACK_MS;
  return steps
    .filter(({ transaction }) => transaction && types.includes(transaction.type) && isReportedBy(transaction, event))
    .filter(({ at }) => Date.parse(at) <= latestAt)
    .at(-1);
}

/** Only `failed` events report failures. */
function isReportedBy(transaction: StoryTransaction, event: StoryEvent): boolean {
  const isAsked = /pending$/.test(event.type);
  return isAsked || (transaction.status === 'FAILED') === /failed$/.test(event.type);
}

const order = ['created', 'AUTHORIZE', 'CAPTURE', 'DISPUTE', 'RESOLVE', 'REFUND', 'VOID', 'RECLAIM', 'SETTLE'];

function inTime(left: StoryStep, right: StoryStep): number {
  const apart = Date.parse(left.at) - Date.parse(right.at);
  return apart !== 0 ? apart : order.indexOf(left.name) - order.indexOf(right.name);
}
