/**
 * Dunning: when a failed renewal is retried. Attempts are scheduled relative to the instant the charge was due: immediately,
 * after 1 h, 6 h, 24 h and 72 h, then every 48 h. When the number of failures reaches the subscription's retries (4 by default),
 * it becomes PAST_DUE; at least one further attempt is made, and then it only waits for the grace period to end.
 */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const hoursFromDue = [0, 1, 6, 24, 72] as const;
const LATER_STEP_HOURS = 48;

/** The minimum delay between attempts that run late, so that the payer has time to fix the cause. */
const SHORTEST_GAP_MS = HOUR_MS / 2;

/** When the attempt after `failures` failed ones is made; null if there is none. */
export function attemptAt(dunning: {
  dueAt: Date;
  failures: number;
  /** When the last attempt failed; null before the first. */
  lastFailedAt: Date | null;
  maxRetries: number;
}): Date | null {
  const { dueAt, failures, lastFailedAt } = dunning;
  if (failures >= attemptsLimit(dunning.maxRetries)) return null;
  const planned = dueAt.getTime() + hoursAfterDue(failures) * HOUR_MS;
  if (lastFailedAt === null) return new Date(planned);
  return new Date(Math.max(planned, lastFailedAt.getTime() + SHORTEST_GAP_MS));
}

/** Whether this many failures make a subscription PAST_DUE. */
export function areRetriesSpent(failures: number, maxRetries: number): boolean {
  return failures >= maxRetries;
}

/** Until when a PAST_DUE subscription may recover. */
export function graceEnd(pastDueSince: Date, graceDays: number): Date {
  return new Date(pastDueSince.getTime() + graceDays * DAY_MS);
}

function attemptsLimit(maxRetries: number): number {
  return Math.max(hoursFromDue.length, maxRetries + 1);
}

function hoursAfterDue(failures: number): number {
  const planned = hoursFromDue[failures];
  if (planned !== undefined) return planned;
  const last = hoursFromDue.length - 1;
  return (hoursFromDue[last] ?? 0) + (failures - last) * LATER_STEP_HOURS;
}
