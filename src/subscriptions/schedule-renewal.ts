import type { DatabaseTransaction } from '../../prisma/client.ts';
import { addJob } from '../platform/jobs.ts';
import { renewalKey, renewSubscriptionJob } from './jobs.ts';

/** Has the subscription looked at at `runAt`, instead of whenever it would have been; answers `pendingJobId`. */
export function scheduleRenewal(
  tx: DatabaseTransaction,
  request: { subscriptionId: string; runAt: Date },
): Promise<string> {
  const { subscriptionId, runAt } = request;
  return addJob(tx, renewSubscriptionJob, { subscriptionId }, { runAt, key: renewalKey(subscriptionId) });
}
