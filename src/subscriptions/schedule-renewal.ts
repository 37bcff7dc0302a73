import type { DatabaseTransaction } from '../../prisma/client.ts';
import { addJob, removeJob } from '../platform/jobs.ts';
import { renewalKey, renewSubscriptionJob } from './jobs.ts';

/** How often a pending charge is checked if nothing else triggers a check. */
export const FOLLOW_MS = 60_000;

/** How long to wait after a transient failure, which is not counted. */
export const PASSING_MS = 60_000;

/** Schedules the next check of the subscription at `runAt`, replacing an earlier schedule; returns `pendingJobId`. */
export function scheduleRenewal(
  tx: DatabaseTransaction,
  request: { subscriptionId: string; runAt: Date },
): Promise<string> {
  const { subscriptionId, runAt } = request;
  return addJob(tx, renewSubscriptionJob, { subscriptionId }, { runAt, key: renewalKey(subscriptionId) });
}

/** Removes the scheduled check of the subscription; returns null as the new `pendingJobId`. */
export async function unscheduleRenewal(tx: DatabaseTransaction, subscriptionId: string): Promise<null> {
  await removeJob(tx, renewalKey(subscriptionId));
  return null;
}
