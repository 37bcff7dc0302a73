import type { DatabaseTransaction } from '../../prisma/client.ts';
import { appendEvents } from '../events/append-events.ts';
import { dropUnpaidInvoices } from './renewal/drop-unpaid-invoices.ts';
import { restingJob } from './renewal/resting-job.ts';
import type { SubscriptionWithPrice } from './store.ts';
import { nextSubscriptionStatus } from './subscription.ts';
import { subscriptionFields } from './subscription-fields.ts';

/**
 * Pauses a PAST_DUE subscription whose grace period is over, whose lock the caller holds: its unpaid invoices become UNCOLLECTIBLE, and
 * resuming it starts a new period. Appends `subscription.paused` as the last statement.
 */
export async function pauseForArrears(
  tx: DatabaseTransaction,
  { subscription: locked, now }: { subscription: SubscriptionWithPrice; now: Date },
): Promise<void> {
  const status = nextSubscriptionStatus(locked.status, 'GRACE_PAUSED');
  if (!status) return;
  const events = await dropUnpaidInvoices(tx, { subscription: locked, now, trigger: 'GIVE_UP' });
  const pendingJobId = await restingJob(tx, { subscriptionId: locked.id, wakeAt: locked.cancelAt, now });
  const subscription = await tx.subscription.update({
    where: { id: locked.id },
    data: { status, pausedAt: now, pastDueSince: null, captureRetryCount: 0, pendingJobId },
  });
  await appendEvents(tx, subscription.appId, [
    ...events,
    { type: 'subscription.paused', resourceId: subscription.id, data: subscriptionFields(subscription) },
  ]);
}
