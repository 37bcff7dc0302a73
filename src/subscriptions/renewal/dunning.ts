/**
 * Dunning: when a failed renewal is retried. Attempts are scheduled relative to the instant the charge was due. By default they are made
 * immediately, after 1 h, 6 h, 24 h and 72 h, then every 48 h. When the number of failures reaches the subscription's retries (4 by
 * default), it becomes PAST_DUE; at least one further attempt is made, and then it only waits for the grace period to end.
 *
 * An app may name its own steps. Then exactly these attempts are made, and the last failure makes the subscription PAST_DUE if its
 * retries have not done so before.
 */
import type { App, RenewalRetryEnd } from '../../../prisma/client.ts';

/** An app's rules. They are read at every decision, so that a change applies from the next attempt on. */
export type RetryRules = {
  /** Hours from the due time, ascending; null for the default schedule. */
  steps: readonly number[] | null;
  graceDays: number;
  atEnd: RenewalRetryEnd;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of the attempts after the first one. */
export const defaultSteps = [1, 6, 24, 72] as const;
const LATER_STEP_HOURS = 48;

/** The minimum delay between attempts that run late, so that the payer has time to fix the cause. */
const SHORTEST_GAP_MS = HOUR_MS / 2;

export function retryRulesOf(
  app: Pick<App, 'renewalRetrySteps' | 'renewalRetryEnd' | 'subscriptionGraceDays'>,
): RetryRules {
  const { renewalRetrySteps: steps } = app;
  return { steps: steps.length === 0 ? null : steps, graceDays: app.subscriptionGraceDays, atEnd: app.renewalRetryEnd };
}

type Dunning = {
  dueAt: Date;
  failures: number;
  /** When the last attempt failed; null before the first. */
  lastFailedAt: Date | null;
  maxRetries: number;
  steps?: readonly number[] | null;
};

/** When the attempt after `failures` failed ones is made; null if there is none. */
export function attemptAt(dunning: Dunning): Date | null {
  const { dueAt, failures, lastFailedAt, steps = null } = dunning;
  if (failures >= attemptsLimit(dunning.maxRetries, steps)) return null;
  return notBefore(dueAt.getTime() + hoursAfterDue(failures, steps) * HOUR_MS, lastFailedAt);
}

/**
 * The attempt of an ACTIVE subscription that has failed more often than its app's steps allow since they were changed: its failure makes
 * the subscription PAST_DUE.
 */
export function lastAttemptAt({ dueAt, lastFailedAt, steps = null }: Dunning): Date {
  return notBefore(dueAt.getTime() + hoursAfterDue(steps?.length ?? 0, steps) * HOUR_MS, lastFailedAt);
}

/** Whether this many failures make a subscription PAST_DUE. */
export function areRetriesExhausted(
  failures: number,
  maxRetries: number,
  steps: readonly number[] | null = null,
): boolean {
  return failures >= (steps === null ? maxRetries : Math.min(maxRetries, steps.length + 1));
}

/** Until when a PAST_DUE subscription may recover. */
export function graceEnd(pastDueSince: Date, graceDays: number): Date {
  return new Date(pastDueSince.getTime() + graceDays * DAY_MS);
}

function notBefore(planned: number, lastFailedAt: Date | null): Date {
  return new Date(lastFailedAt === null ? planned : Math.max(planned, lastFailedAt.getTime() + SHORTEST_GAP_MS));
}

function attemptsLimit(maxRetries: number, steps: readonly number[] | null): number {
  return steps === null ? Math.max(defaultSteps.length + 1, maxRetries + 1) : steps.length + 1;
}

function hoursAfterDue(failures: number, steps: readonly number[] | null): number {
  if (failures === 0) return 0;
  const hours = steps ?? defaultSteps;
  const last = hours.length;
  return hours[failures - 1] ?? (hours[last - 1] ?? 0) + (failures - last) * LATER_STEP_HOURS;
}
