/**
 * What happened to a payment in a merchant's words: one moment for each step that matters to the merchant, without hashes, blocks and
 * bookings, which stand under the technical details.
 */
import { type PaymentStory, paymentSteps, type StoryStep } from './payment-steps.ts';

export type Moment = {
  key: string;
  /** Its words are `payments.moments.<name>`. */
  name: string;
  at: string;
  state: StoryStep['state'];
  /** Base units that it moved. Null if it moved none. */
  units: string | null;
  reason: string | null;
  /** Why a step failed. */
  error: string | null;
  /** Webhook deliveries of its events that were given up. */
  failedDeliveries: number;
};

export function paymentMoments(story: PaymentStory): Moment[] {
  const steps = paymentSteps(story);
  return steps.flatMap((step) => {
    const { transaction, refund, events } = step;
    if (isOneWithPayment(step, steps, story)) return [];
    const failed = events.flatMap(({ deliveries }) => deliveries).filter(({ status }) => status === 'FAILED');
    return {
      key: step.key,
      name: nameOf(step, story),
      at: refund?.confirmedAt ?? step.at,
      state: step.state,
      units: transaction && transaction.type !== 'DISPUTE' ? transaction.amount : null,
      reason: refund?.reason ?? null,
      error: step.state === 'FAILED' ? (refund?.error ?? transaction?.error ?? null) : null,
      failedDeliveries: failed.length,
    };
  });
}

/** An AUTOMATIC payment is captured in the transaction that pays it: for the merchant that is one moment. */
function isOneWithPayment({ name, transaction }: StoryStep, steps: readonly StoryStep[], story: PaymentStory): boolean {
  if (name !== 'CAPTURE' || story.captureMode !== 'AUTOMATIC' || transaction?.status !== 'CONFIRMED') return false;
  return steps.some((other) => other.name === 'AUTHORIZE' && other.transaction?.txHash === transaction.txHash);
}

function nameOf({ name, state }: StoryStep, { captureMode }: PaymentStory): string {
  if (name === 'AUTHORIZE' && state === 'CONFIRMED') return captureMode === 'MANUAL' ? 'HELD' : 'PAID';
  if (name === 'AUTHORIZE') return state === 'PENDING' ? 'PAYING' : 'PAYMENT_FAILED';
  if (name === 'REFUND' && state !== 'CONFIRMED') return state === 'PENDING' ? 'REFUNDING' : 'REFUND_FAILED';
  return name;
}
