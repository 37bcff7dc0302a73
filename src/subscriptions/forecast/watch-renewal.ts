import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { addJobs } from '../../platform/jobs.ts';
import { forecastKey, forecastRenewalJob } from '../jobs.ts';
import { nextLookAt } from './renewal-forecast.ts';

/** A renewal that is due at `dueAt`; its payer is not checked before `after`. */
type Watched = { subscriptionId: string; dueAt: Date; after: Date };

/**
 * Schedules the next check of the payer's side of the next renewal, replacing an earlier schedule of the subscription. If no check is
 * left, nothing is scheduled.
 */
export async function watchRenewal(tx: DatabaseTransaction, renewal: Watched): Promise<void> {
  await watchRenewals(tx, [renewal]);
}

/** Schedules the next checks of several renewals as `watchRenewal` does. */
export async function watchRenewals(tx: DatabaseTransaction, renewals: readonly Watched[]): Promise<void> {
  const jobs = renewals.flatMap(({ subscriptionId, dueAt, after }) => {
    const runAt = nextLookAt(dueAt, after);
    return runAt === null ? [] : [{ payload: { subscriptionId }, key: forecastKey(subscriptionId), runAt }];
  });
  await addJobs(tx, forecastRenewalJob, jobs);
}
