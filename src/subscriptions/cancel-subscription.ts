import type { Database, DatabaseTransaction, Subscription } from '../../prisma/client.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { moveSubscriptionRedemption } from '../catalog/coupons/subscription-redemption.ts';
import { refreshWalletJob } from '../customers/jobs.ts';
import { GatewayError } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { addJob } from '../platform/jobs.ts';
import { dropUnpaidInvoices } from './renewal/drop-unpaid-invoices.ts';
import { restingJob } from './renewal/resting-job.ts';
import { scheduleRenewal } from './schedule-renewal.ts';
import { lockOwnSubscription, type SubscriptionWithPrice } from './store.ts';
import { nextSubscriptionStatus, type SubscriptionTrigger } from './subscription.ts';
import { subscriptionFields } from './subscription-fields.ts';
import { finalUsageDueAt } from './usage/final-usage.ts';

/**
 * Cancels now, or at the end of the current period (without one: now). Cancelling at the period's end keeps the status, sets
 * `cancelAt` and appends `subscription.updated`; a repeated request changes nothing. Appends `subscription.cancelled` when the
 * subscription ends. Throws NOT_FOUND, and INVALID_STATE for a subscription that has ended.
 */
export async function cancelSubscription(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; cancelAtPeriodEnd: boolean; idempotency?: IdempotencyRequest | undefined },
): Promise<Subscription> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const locked = await lockOwnSubscription(tx, request);
      const now = world.clock.now();
      const end = locked.currentPeriodEnd;
      const isLater = request.cancelAtPeriodEnd && end !== null && end > now;
      if (!isLater) {
        await recordCancel(tx, { subscription: locked, after: { status: 'CANCELLED', cancelAt: null } });
        return endSubscription(tx, { subscription: locked, trigger: 'CANCEL_NOW', now });
      }
      if (nextSubscriptionStatus(locked.status, 'CANCEL_AT_PERIOD_END') === null) throw ended(locked);
      if (locked.cancelAt?.getTime() === end.getTime()) return locked;
      await recordCancel(tx, { subscription: locked, after: { status: locked.status, cancelAt: end } });
      const pendingJobId = await scheduleRenewal(tx, { subscriptionId: locked.id, runAt: end });
      const subscription = await tx.subscription.update({
        where: { id: locked.id },
        data: { cancelAt: end, cancelAtPeriodEnd: true, pendingJobId },
      });
      await appendEvents(tx, subscription.appId, [
        { type: 'subscription.updated', resourceId: subscription.id, data: subscriptionFields(subscription) },
      ]);
      return subscription;
    }),
  );
}

async function recordCancel(
  tx: DatabaseTransaction,
  { subscription, after }: { subscription: Subscription; after: Record<string, unknown> },
): Promise<void> {
  const { id, appId, status, cancelAt } = subscription;
  await recordAction(tx, {
    action: 'subscription.cancelled',
    owner: { appId },
    target: { type: 'Subscription', id },
    before: { status, cancelAt },
    after,
  });
}

/**
 * Ends a subscription whose lock the caller holds: sets it to CANCELLED, voids its unpaid invoices (UNCOLLECTIBLE if its grace
 * period is over), releases the coupon of a PENDING one, and appends `subscription.cancelled` as the last statement. A pending
 * charge still counts, and the last usage of a metered price is billed after its grace.
 */
export async function endSubscription(
  tx: DatabaseTransaction,
  request: { subscription: SubscriptionWithPrice; trigger: SubscriptionTrigger; now: Date },
): Promise<Subscription> {
  const { subscription: locked, trigger, now } = request;
  const status = nextSubscriptionStatus(locked.status, trigger);
  if (!status) throw ended(locked);
  const events = await dropUnpaidInvoices(tx, {
    subscription: locked,
    now,
    trigger: trigger === 'GRACE_OVER' ? 'GIVE_UP' : 'VOID',
  });
  const finalAt = await finalUsageDueAt(tx, { subscription: locked, now });
  const subscription = await tx.subscription.update({
    where: { id: locked.id },
    data: {
      status,
      cancelledAt: now,
      finalUsageDueAt: finalAt,
      pendingJobId: await restingJob(tx, { subscriptionId: locked.id, wakeAt: finalAt, now }),
    },
  });
  if (locked.status === 'PENDING') {
    await moveSubscriptionRedemption(tx, { subscriptionId: locked.id, to: 'RELEASED' });
  }
  const consent = await tx.subscriptionConsent.findFirst({ where: { acceptedBy: { id: locked.id } } });
  // The subscription's consent is no longer active, which may change the wallet's authorization.
  if (consent) await addJob(tx, refreshWalletJob, { chainId: consent.chainId, walletAddress: consent.walletAddress });
  await appendEvents(tx, subscription.appId, [
    ...events,
    { type: 'subscription.cancelled', resourceId: subscription.id, data: subscriptionFields(subscription) },
  ]);
  return subscription;
}

function ended(subscription: Subscription): GatewayError {
  return new GatewayError('INVALID_STATE', `The subscription is ${subscription.status}.`);
}
