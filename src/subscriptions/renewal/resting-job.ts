import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { FOLLOW_MS, scheduleRenewal, unscheduleRenewal } from '../schedule-renewal.ts';
import { openAttempt } from './store.ts';

/**
 * Schedules the next check of a subscription that is not renewed at present: while a charge is pending, for its outcome;
 * otherwise at `wakeAt`, when its planned cancellation or the billing of its final usage is due, or never if that is null or past.
 * Returns `pendingJobId`.
 */
export async function restingJob(
  tx: DatabaseTransaction,
  { subscriptionId, wakeAt, now }: { subscriptionId: string; wakeAt: Date | null; now: Date },
): Promise<string | null> {
  if (await openAttempt(tx, subscriptionId)) {
    return await scheduleRenewal(tx, { subscriptionId, runAt: new Date(now.getTime() + FOLLOW_MS) });
  }
  if (wakeAt !== null && wakeAt >= now) return await scheduleRenewal(tx, { subscriptionId, runAt: wakeAt });
  return await unscheduleRenewal(tx, subscriptionId);
}
