/**
 * Decides what is due for a subscription. Pure: the verb reads the state under the subscription's row lock and does what is
 * decided here, so that pausing, cancelling and concurrent workers are handled in one place.
 *
 * A pending charge takes precedence over everything else: what is on chain counts, regardless of what was requested in the meantime.
 */
import type { Subscription } from '../../../prisma/client.ts';
import { attemptAt, graceEnd, lastAttemptAt, type RetryRules } from './dunning.ts';

/** How often a subscription that stays PAST_DUE is checked, in case its app's rules have changed. */
const RECHECK_MS = 86_400_000;

export type RenewalState = Pick<
  Subscription,
  | 'status'
  | 'currentPeriodEnd'
  | 'cancelAt'
  | 'pastDueSince'
  | 'captureRetryCount'
  | 'maxCaptureRetries'
  | 'finalUsageDueAt'
  | 'retryRequestedAt'
> & {
  retry: RetryRules;
  /** How long the renewal of a metered price waits for the last usage of its period. */
  usageGraceMs: number;
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
  /** The grace period is over, and the app pauses such subscriptions. */
  | { kind: 'PAUSE' }
  /** The next period is charged, or the final usage of a subscription that has ended. */
  | { kind: 'CHARGE' };

export function decideRenewal(state: RenewalState, now: Date): RenewalDecision {
  const { status, cancelAt, currentPeriodEnd } = state;
  if (state.isChargeUnderWay) return { kind: 'FOLLOW' };
  if (status === 'CANCELLED' && state.finalUsageDueAt !== null) {
    return state.finalUsageDueAt <= now ? { kind: 'CHARGE' } : { kind: 'WAIT', until: state.finalUsageDueAt };
  }
  if (status === 'PENDING' || status === 'CANCELLED') return { kind: 'NOTHING' };
  if (cancelAt !== null && cancelAt <= now) return { kind: 'END', trigger: 'PERIOD_ENDED' };
  if (status === 'PAUSED' || currentPeriodEnd === null) return waitFor([cancelAt]);
  const { steps, graceDays, atEnd } = state.retry;
  const isEnded =
    state.pastDueSince === null || atEnd === 'LEAVE_PAST_DUE' ? null : graceEnd(state.pastDueSince, graceDays);
  const graceOver = status === 'PAST_DUE' ? isEnded : null;
  const dueAt = new Date(currentPeriodEnd.getTime() + state.usageGraceMs);
  if (isRetryRequested(state) && dueAt <= now) return { kind: 'CHARGE' };
  if (graceOver !== null && graceOver <= now) {
    return atEnd === 'PAUSE' ? { kind: 'PAUSE' } : { kind: 'END', trigger: 'GRACE_OVER' };
  }
  const dunning = {
    dueAt,
    failures: state.captureRetryCount,
    lastFailedAt: state.lastFailedAt,
    maxRetries: state.maxCaptureRetries,
    steps,
  };
  const attempt = attemptAt(dunning) ?? (status === 'ACTIVE' ? lastAttemptAt(dunning) : null);
  if (attempt !== null && attempt <= now) return { kind: 'CHARGE' };
  const needsRecheck = status === 'PAST_DUE' && attempt === null && graceOver === null;
  return waitFor([attempt, cancelAt, graceOver, needsRecheck ? new Date(now.getTime() + RECHECK_MS) : null]);
}

/** The payer has repaired the cause since the last attempt: one more is made at once, and counts like any other. */
function isRetryRequested({ retryRequestedAt, lastFailedAt }: RenewalState): boolean {
  return retryRequestedAt !== null && (lastFailedAt === null || retryRequestedAt > lastFailedAt);
}

/** Waits for the earliest of the given instants. */
function waitFor(instants: readonly (Date | null)[]): RenewalDecision {
  const times = instants.filter((instant) => instant !== null).map((instant) => instant.getTime());
  return times.length === 0 ? { kind: 'NOTHING' } : { kind: 'WAIT', until: new Date(Math.min(...times)) };
}
