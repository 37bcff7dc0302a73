import type { DatabaseTransaction } from '../../prisma/client.ts';
import { addJob, removeJob } from '../platform/jobs.ts';
import { renewalKey, renewSubscriptionJob } from './jobs.ts';

/** While a charge is under way it is looked after this often, should nobody ring. */
export const FOLLOW_MS = 60_000;

/** What passes by itself is looked at again after this long, and not counted. */
export const PASSING_MS = 60_000;

/** Has the subscription looked at at `runAt`, instead of whenever it would have been; answers `pendingJobId`. */
export function scheduleRenewal(
  tx: DatabaseTransaction,
  request: { subscriptionId: string; runAt: Date },
): Promise<string> {
  const { subscriptionId, runAt } = request;
  return addJob(tx, renewSubscriptionJob, { subscriptionId }, { runAt, key: renewalKey(subscriptionId) });
}

/** Has the subscription not looked at any more; `pendingJobId` is null then. */
export async function unscheduleRenewal(tx: DatabaseTransaction, subscriptionId: string): Promise<null> {
  await removeJob(tx, renewalKey(subscriptionId));
  return null;
}
