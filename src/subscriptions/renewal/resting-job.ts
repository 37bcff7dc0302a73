import type { DatabaseTransaction, Subscription } from '../../../prisma/client.ts';
import { FOLLOW_MS, scheduleRenewal, unscheduleRenewal } from '../schedule-renewal.ts';
import { openAttempt } from './store.ts';

/**
 * Schedules the next check of a subscription that is not renewed at present: while a charge is pending, for its outcome;
 * otherwise at its `cancelAt`, or never. Returns `pendingJobId`. `subscription` is its state before the change, without a
 * `cancelAt` that no longer applies.
 */
export async function restingJob(
  tx: DatabaseTransaction,
  { subscription, now }: { subscription: Pick<Subscription, 'id' | 'cancelAt'>; now: Date },
): Promise<string | null> {
  const { id: subscriptionId, cancelAt } = subscription;
  if (await openAttempt(tx, subscriptionId)) {
    return await scheduleRenewal(tx, { subscriptionId, runAt: new Date(now.getTime() + FOLLOW_MS) });
  }
  if (cancelAt !== null && cancelAt >= now) return await scheduleRenewal(tx, { subscriptionId, runAt: cancelAt });
  return await unscheduleRenewal(tx, subscriptionId);
}
