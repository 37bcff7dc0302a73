/**
 * The history of a payment for the merchant: one entry for each step that matters to the merchant. Hashes, blocks and ledger entries are in
 * the technical details.
 */
import { type PaymentStory, paymentSteps, type StoryStep } from './payment-steps.ts';

export type Moment = {
  key: string;
  /** The key of its text, `payments.moments.<name>`. */
  name: string;
  at: string;
  state: StoryStep['state'];
  /** The amount in base units; for a payout, without the fee. Null if the step moved no money. */
  units: string | null;
  /** The fee that a payout withheld, in base units. Null for all other steps, and if there was no fee. */
  fee: string | null;
  reason: string | null;
  /** Why a step failed. */
  error: string | null;
  /** Webhook deliveries of its events for which all attempts failed. */
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

/** The amount that the merchant received according to the ledger. The transaction itself transfers the gross amount. */
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

/** An AUTOMATIC payment is captured in the transaction that pays it, so the merchant sees a single entry. */
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
