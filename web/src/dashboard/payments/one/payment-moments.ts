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
  /** Base units that it moved, those of a payout without the fee. Null if it moved none. */
  units: string | null;
  /** Base units of the fee that a payout withheld. Null for every other moment, and where there was none. */
  fee: string | null;
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
    const moved = transaction && transaction.type !== 'DISPUTE' ? transaction.amount : null;
    const payout = step.name === 'SETTLE' ? payoutOf(step) : null;
    const failed = events.flatMap(({ deliveries }) => deliveries).filter(({ status }) => status === 'FAILED');
    return {
      key: step.key,
      name: nameOf(step, story),
      at: refund?.confirmedAt ?? step.at,
      state: step.state,
      units: payout ? payout.units : moved,
      fee: payout?.fee ?? null,
      reason: refund?.reason ?? null,
      error: step.state === 'FAILED' ? (refund?.error ?? transaction?.error ?? null) : null,
      failedDeliveries: failed.length,
    };
  });
}

/** What the merchant received, by the books. The transaction itself moves the gross amount. */
function payoutOf({ entries }: StoryStep): { units: string | null; fee: string | null } {
  const booked = (wanted: string) => {
    const sum = entries.reduce(
      (units, { account, amount }) => (account === wanted ? units + BigInt(amount) : units),
      0n,
    );
    return sum > 0n ? String(sum) : null;
  };
  return { units: booked('MERCHANT'), fee: booked('FEE') };
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
