import type { DatabaseTransaction, Subscription } from '../../../prisma/client.ts';
import { FOLLOW_MS, scheduleRenewal, unscheduleRenewal } from '../schedule-renewal.ts';
import { openAttempt } from './store.ts';

/**
 * The next look at a subscription that is not renewed (any more): while a charge is on its way, at what becomes of it; else
 * at its `cancelAt`, or never. Answers `pendingJobId`. `subscription` as it was, without a `cancelAt` that is void now.
 */
export async function restingJob(
  tx: DatabaseTransaction,
  { subscription, now }: { subscription: Pick<Subscription, 'id' | 'cancelAt'>; now: Date },
): Promise<string | null> {
  const { id: subscriptionId, cancelAt } = subscription;
  if (await openAttempt(tx, subscriptionId)) {
    return await scheduleRenewal(tx, { subscriptionId, runAt: new Date(now.getTime() + FOLLOW_MS) });
  }
  if (cancelAt !== null && cancelAt > now) return await scheduleRenewal(tx, { subscriptionId, runAt: cancelAt });
  return await unscheduleRenewal(tx, subscriptionId);
}
