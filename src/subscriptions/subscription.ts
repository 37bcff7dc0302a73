/**
 * A subscription: a customer charged once per period for a plan's price, under a consent signed once.
 *
 * ```
 * PENDING ──first charge, or a trial's consent──► ACTIVE ◄──resume── PAUSED
 *    │                                            │ ▲ └────pause───────┘ │
 *    │                          all retries fail  ▼ │ a later charge    │
 *    │                                          PAST_DUE                │
 *    └──cancel──► CANCELLED ◄──cancel, grace over──┴────────cancel──────┘
 * ```
 *
 * An app may choose that the end of the grace period pauses a PAST_DUE subscription, or leaves it as it is, instead of cancelling it.
 *
 * Authority: the contract for the consent and for which periods were charged; the invoice for what a period costs; this table for
 * the status. It does not own money or dates (`billing-period.ts`).
 */
import type { SubscriptionStatus } from '../../prisma/client.ts';

export const subscriptionStatuses = [
  'PENDING',
  'ACTIVE',
  'PAUSED',
  'CANCELLED',
  'PAST_DUE',
] as const satisfies readonly SubscriptionStatus[];

export const subscriptionTriggers = [
  'ACTIVATE',
  'PAUSE',
  'RESUME',
  'RETRIES_EXHAUSTED',
  'RECOVER',
  'GRACE_OVER',
  'GRACE_PAUSED',
  'CANCEL_NOW',
  'CANCEL_AT_PERIOD_END',
  'PERIOD_ENDED',
  'ACTIVATION_REVERTED',
] as const;
export type SubscriptionTrigger = (typeof subscriptionTriggers)[number];

const transitions: { [From in SubscriptionStatus]: Partial<Record<SubscriptionTrigger, SubscriptionStatus>> } = {
  PENDING: { ACTIVATE: 'ACTIVE', CANCEL_NOW: 'CANCELLED' },
  ACTIVE: {
    PAUSE: 'PAUSED',
    RETRIES_EXHAUSTED: 'PAST_DUE',
    CANCEL_NOW: 'CANCELLED',
    CANCEL_AT_PERIOD_END: 'ACTIVE',
    PERIOD_ENDED: 'CANCELLED',
    ACTIVATION_REVERTED: 'PENDING',
  },
  PAUSED: { RESUME: 'ACTIVE', CANCEL_NOW: 'CANCELLED', CANCEL_AT_PERIOD_END: 'PAUSED', PERIOD_ENDED: 'CANCELLED' },
  PAST_DUE: {
    RECOVER: 'ACTIVE',
    GRACE_OVER: 'CANCELLED',
    GRACE_PAUSED: 'PAUSED',
    CANCEL_NOW: 'CANCELLED',
    CANCEL_AT_PERIOD_END: 'PAST_DUE',
    PERIOD_ENDED: 'CANCELLED',
  },
  CANCELLED: {},
};

/** The status after `trigger`, or null if the trigger is not allowed in this status. */
export function nextSubscriptionStatus(
  from: SubscriptionStatus,
  trigger: SubscriptionTrigger,
): SubscriptionStatus | null {
  return transitions[from][trigger] ?? null;
}
