import { type Database, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import { WATCH_DAYS } from '../forecast/renewal-forecast.ts';
import { forecastKey, forecastRenewalJob } from '../jobs.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import { lockSubscription } from '../store.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;
/** How long a due job may take to start before it counts as missed. */
const PATIENCE_MS = 60_000;

/**
 * Schedules subscriptions with something due and no waiting job: a renewal, a scheduled end, or a pending charge whose outcome
 * nothing checks; and upcoming renewals without a forecast. This covers jobs that were lost or failed too often. At most 500;
 * returns how many were scheduled.
 */
export async function sweepRenewals({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
  const now = clock.now();
  const missedBefore = new Date(now.getTime() - PATIENCE_MS);
  const forgotten = await database.$queryRaw<{ id: string }[]>`
    SELECT subscription.id FROM subscription
    WHERE ((status IN ('ACTIVE', 'PAST_DUE') AND current_period_end <= ${missedBefore})
        OR (status = 'PAUSED' AND cancel_at <= ${missedBefore})
        OR final_usage_due_at <= ${missedBefore}
        OR EXISTS (SELECT 1 FROM renewal_attempt attempt
            WHERE attempt.subscription_id = subscription.id AND attempt.status = 'PENDING'
              AND attempt.created_at <= ${missedBefore}))
      AND NOT EXISTS (SELECT 1 FROM graphile_worker.jobs job
          WHERE job.key = 'subscription:' || subscription.id AND job.attempts < job.max_attempts)
    LIMIT ${BATCH}`;
  for (const { id } of forgotten) {
    await transaction(database, async (tx) => {
      await lockSubscription(tx, id);
      const pendingJobId = await scheduleRenewal(tx, { subscriptionId: id, runAt: now });
      await tx.subscription.update({ where: { id }, data: { pendingJobId } });
    });
  }
  await watchForgotten(database, now);
  return forgotten.length;
}

/** Schedules forecasts for upcoming renewals that have none; one that was checked is left alone for a day. */
async function watchForgotten(database: Database, now: Date): Promise<void> {
  const [until, lookedBefore] = [WATCH_DAYS, -1].map((days) => new Date(now.getTime() + days * DAY_MS));
  const unwatched = await database.$queryRaw<{ id: string }[]>`
    SELECT subscription.id FROM subscription
    LEFT JOIN renewal_outlook outlook ON outlook.subscription_id = subscription.id
    WHERE status = 'ACTIVE' AND NOT cancel_at_period_end AND consent_id IS NOT NULL
      AND current_period_end > ${now} AND current_period_end <= ${until}
      AND (outlook.read_at IS NULL OR outlook.read_at < ${lookedBefore})
      AND NOT EXISTS (SELECT 1 FROM graphile_worker.jobs job
          WHERE job.key = 'forecast:' || subscription.id AND job.attempts < job.max_attempts)
    LIMIT ${BATCH}`;
  if (unwatched.length === 0) return;
  await transaction(database, async (tx) => {
    for (const { id } of unwatched) {
      await addJob(tx, forecastRenewalJob, { subscriptionId: id }, { key: forecastKey(id) });
    }
  });
}
