/**
 * Decides what is due for a subscription. Pure: the verb reads the state under the subscription's row lock and does what is
 * decided here, so that pausing, cancelling and concurrent workers are handled in one place.
 *
 * A pending charge takes precedence over everything else: what is on chain counts, whatever was requested in the meantime.
 */
import type { Subscription } from '../../../prisma/client.ts';
import { attemptAt, graceEnd } from './dunning.ts';

export type RenewalState = Pick<
  Subscription,
  'status' | 'currentPeriodEnd' | 'cancelAt' | 'pastDueSince' | 'captureRetryCount' | 'maxCaptureRetries'
> & {
  graceDays: number;
  isChargeUnderWay: boolean;
  /** When the last attempt of the due invoice failed; null before the first. */
  lastFailedAt: Date | null;
};

export type RenewalDecision =
  | { kind: 'NOTHING' }
  | { kind: 'WAIT'; until: Date }
  /** A charge is pending; its outcome is checked. */
  | { kind: 'FOLLOW' }
  | { kind: 'END'; trigger: 'PERIOD_ENDED' | 'GRACE_OVER' }
  | { kind: 'CHARGE' };

export function decideRenewal(state: RenewalState, now: Date): RenewalDecision {
  const { status, cancelAt, currentPeriodEnd } = state;
  if (state.isChargeUnderWay) return { kind: 'FOLLOW' };
  if (status === 'PENDING' || status === 'CANCELLED') return { kind: 'NOTHING' };
  if (cancelAt !== null && cancelAt <= now) return { kind: 'END', trigger: 'PERIOD_ENDED' };
  if (status === 'PAUSED' || currentPeriodEnd === null) return waitFor([cancelAt]);
  const graceOver = state.pastDueSince === null ? null : graceEnd(state.pastDueSince, state.graceDays);
  if (status === 'PAST_DUE' && graceOver !== null && graceOver <= now) return { kind: 'END', trigger: 'GRACE_OVER' };
  const attempt = attemptAt({
    dueAt: currentPeriodEnd,
    failures: state.captureRetryCount,
    lastFailedAt: state.lastFailedAt,
    maxRetries: state.maxCaptureRetries,
  });
  if (attempt !== null && attempt <= now) return { kind: 'CHARGE' };
  return waitFor([attempt, cancelAt, status === 'PAST_DUE' ? graceOver : null]);
}

/** Waits for the earliest of the given instants. */
function waitFor(instants: readonly (Date | null)[]): RenewalDecision {
  const times = instants.filter((instant) => instant !== null).map((instant) => instant.getTime());
  return times.length === 0 ? { kind: 'NOTHING' } : { kind: 'WAIT', until: new Date(Math.min(...times)) };
}
