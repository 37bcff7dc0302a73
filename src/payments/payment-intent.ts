/**
 * A payment intent: a single payment from creation to settlement.
 *
 * ```
 * CREATED ──authorize──► AUTHORIZED ──capture──► CAPTURED ──settle──► SETTLED
 *    │ cancel, expire        │ void, reclaim        │ ▲
 *    ▼                       ▼                      ▼ │ something left, or the refund failed
 * CANCELLED ◄────────────────┘               REFUND_PENDING ──nothing left──► REFUNDED
 *                            │ capture fails for good
 *                            └──────► FAILED
 * ```
 *
 * A payment by the x402 scheme `exact` never enters the escrow: it goes from CREATED to SETTLED, or to FAILED, as its authorization does.
 *
 * Authority: the escrow contract for money, `payment_terms` for which terms this gateway signed, and this table for the status, which is
 * folded from facts and the gateway's own decisions. Chain evidence always overrides what was expected, because merchants and
 * strangers may call the contract directly. Amounts belong to the fold (`fold.ts`), not to this file.
 */
import type { PaymentIntentStatus } from '../../prisma/client.ts';

export const paymentIntentStatuses = [
  'CREATED',
  'AUTHORIZED',
  'CAPTURED',
  'SETTLED',
  'CANCELLED',
  'REFUND_PENDING',
  'REFUNDED',
  'FAILED',
] as const satisfies readonly PaymentIntentStatus[];

/** What can happen to an intent, caused by an API call, a job or the chain. */
export const paymentIntentTriggers = [
  'AUTHORIZE_FINAL',
  'CANCEL',
  'EXPIRE',
  'CAPTURE',
  'CAPTURE_FINAL',
  'CAPTURE_FAILED',
  'VOID_FINAL',
  'RECLAIM_FINAL',
  'REFUND',
  'REFUND_FINAL_SOMETHING_LEFT',
  'REFUND_FINAL_NOTHING_LEFT',
  'REFUND_FAILED',
  'SETTLE_FINAL',
  'DISPUTE',
  'DISPUTE_RESOLVED_FOR_PAYER',
  'DISPUTE_RESOLVED_OTHERWISE',
] as const;
export type PaymentIntentTrigger = (typeof paymentIntentTriggers)[number];

/** The resulting status. It is unchanged if the trigger is allowed but the new status waits for the chain. */
const transitions: { [From in PaymentIntentStatus]: Partial<Record<PaymentIntentTrigger, PaymentIntentStatus>> } = {
  CREATED: { AUTHORIZE_FINAL: 'AUTHORIZED', CANCEL: 'CANCELLED', EXPIRE: 'CANCELLED' },
  AUTHORIZED: {
    CANCEL: 'AUTHORIZED',
    CAPTURE: 'AUTHORIZED',
    CAPTURE_FINAL: 'CAPTURED',
    CAPTURE_FAILED: 'FAILED',
    VOID_FINAL: 'CANCELLED',
    RECLAIM_FINAL: 'CANCELLED',
  },
  CAPTURED: {
    REFUND: 'REFUND_PENDING',
    REFUND_FINAL_SOMETHING_LEFT: 'CAPTURED',
    REFUND_FINAL_NOTHING_LEFT: 'REFUNDED',
    SETTLE_FINAL: 'SETTLED',
    DISPUTE: 'CAPTURED',
    DISPUTE_RESOLVED_FOR_PAYER: 'REFUNDED',
    DISPUTE_RESOLVED_OTHERWISE: 'SETTLED',
  },
  REFUND_PENDING: {
    REFUND_FINAL_SOMETHING_LEFT: 'CAPTURED',
    REFUND_FINAL_NOTHING_LEFT: 'REFUNDED',
    REFUND_FAILED: 'CAPTURED',
    SETTLE_FINAL: 'SETTLED',
    DISPUTE_RESOLVED_FOR_PAYER: 'REFUNDED',
    DISPUTE_RESOLVED_OTHERWISE: 'SETTLED',
  },
  SETTLED: {},
  CANCELLED: {},
  REFUNDED: {},
  FAILED: {},
};

/** The status after `trigger`, or null if the trigger is not allowed in this status. */
export function nextStatus(from: PaymentIntentStatus, trigger: PaymentIntentTrigger): PaymentIntentStatus | null {
  return transitions[from][trigger] ?? null;
}

/** No trigger is allowed in a final status. */
export function isFinalStatus(status: PaymentIntentStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}
