import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { addJob } from '../../platform/jobs.ts';
import { forecastKey, forecastRenewalJob } from '../jobs.ts';
import { nextLookAt } from './renewal-forecast.ts';

/**
 * Schedules the next check of the payer's side of the next renewal, replacing an earlier schedule of the subscription. Checks
 * before `after` are skipped; if none is left, nothing is scheduled.
 */
export async function watchRenewal(
  tx: DatabaseTransaction,
  { subscriptionId, dueAt, after }: { subscriptionId: string; dueAt: Date; after: Date },
): Promise<void> {
  const runAt = nextLookAt(dueAt, after);
  if (runAt === null) return;
  await addJob(tx, forecastRenewalJob, { subscriptionId }, { runAt, key: forecastKey(subscriptionId) });
}
