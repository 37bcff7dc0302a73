import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { addJob } from '../../platform/jobs.ts';
import { forecastKey, forecastRenewalJob } from '../jobs.ts';
import { nextLookAt } from './renewal-forecast.ts';

/**
 * Has the payer's side of the next renewal looked at before it is due; the newest call of a subscription wins. `after`:
 * looks before it are past. Nothing is scheduled where none is to come.
 */
export async function watchRenewal(
  tx: DatabaseTransaction,
  { subscriptionId, dueAt, after }: { subscriptionId: string; dueAt: Date; after: Date },
): Promise<void> {
  const runAt = nextLookAt(dueAt, after);
  if (runAt === null) return;
  await addJob(tx, forecastRenewalJob, { subscriptionId }, { runAt, key: forecastKey(subscriptionId) });
}
