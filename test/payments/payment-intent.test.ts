import { describe, expect, it } from 'vitest';
import type { PaymentIntentStatus } from '../../prisma/client.ts';
import {
  isFinalStatus,
  nextStatus,
  type PaymentIntentTrigger,
  paymentIntentStatuses,
  paymentIntentTriggers,
} from '../../src/payments/payment-intent.ts';

/** answers.md §4, pair by pair; what is not listed is refused. */
const allowed: [PaymentIntentStatus, PaymentIntentTrigger, PaymentIntentStatus][] = [
  ['CREATED', 'AUTHORIZE_FINAL', 'AUTHORIZED'],
  ['CREATED', 'CANCEL', 'CANCELLED'],
  ['CREATED', 'EXPIRE', 'CANCELLED'],
  ['AUTHORIZED', 'CANCEL', 'AUTHORIZED'],
  ['AUTHORIZED', 'CAPTURE', 'AUTHORIZED'],
  ['AUTHORIZED', 'CAPTURE_FINAL', 'CAPTURED'],
  ['AUTHORIZED', 'CAPTURE_FAILED', 'FAILED'],
  ['AUTHORIZED', 'VOID_FINAL', 'CANCELLED'],
  ['AUTHORIZED', 'RECLAIM_FINAL', 'CANCELLED'],
  ['CAPTURED', 'REFUND', 'REFUND_PENDING'],
  ['CAPTURED', 'REFUND_FINAL_SOMETHING_LEFT', 'CAPTURED'],
  ['CAPTURED', 'REFUND_FINAL_NOTHING_LEFT', 'REFUNDED'],
  ['CAPTURED', 'SETTLE_FINAL', 'SETTLED'],
  ['CAPTURED', 'DISPUTE', 'CAPTURED'],
  ['CAPTURED', 'DISPUTE_RESOLVED_FOR_PAYER', 'REFUNDED'],
  ['CAPTURED', 'DISPUTE_RESOLVED_OTHERWISE', 'SETTLED'],
  ['REFUND_PENDING', 'REFUND_FINAL_SOMETHING_LEFT', 'CAPTURED'],
  ['REFUND_PENDING', 'REFUND_FINAL_NOTHING_LEFT', 'REFUNDED'],
  ['REFUND_PENDING', 'REFUND_FAILED', 'CAPTURED'],
  ['REFUND_PENDING', 'SETTLE_FINAL', 'SETTLED'],
  ['REFUND_PENDING', 'DISPUTE_RESOLVED_FOR_PAYER', 'REFUNDED'],
  ['REFUND_PENDING', 'DISPUTE_RESOLVED_OTHERWISE', 'SETTLED'],
];

describe('a payment intent', () => {
  const pairs = paymentIntentStatuses.flatMap((from) =>
    paymentIntentTriggers.map((trigger) => [from, trigger] as const),
  );

  it.each(pairs)('that is %s, on %s', (from, trigger) => {
    const expected = allowed.find(([state, cause]) => state === from && cause === trigger)?.[2] ?? null;
    expect(nextStatus(from, trigger)).toBe(expected);
  });

  it('rests in four final states', () => {
    expect(paymentIntentStatuses.filter(isFinalStatus)).toEqual(['SETTLED', 'CANCELLED', 'REFUNDED', 'FAILED']);
  });
});
