import type { Database, Prisma, Subscription } from '../../prisma/client.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { scheduleRenewal } from './schedule-renewal.ts';
import { lockOwnSubscription, type SubscriptionWithPrice } from './store.ts';
import { nextSubscriptionStatus } from './subscription.ts';
import { subscriptionFields } from './subscription-fields.ts';

/**
 * Resumes a PAUSED subscription. Within the old period its dates stay unchanged; after it, the next charge is due now and the
 * anchor moves to now. Appends `subscription.resumed`. Throws NOT_FOUND and INVALID_STATE.
 */
export async function resumeSubscription(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest | undefined },
): Promise<Subscription> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const locked = await lockOwnSubscription(tx, request);
      const status = nextSubscriptionStatus(locked.status, 'RESUME');
      if (!status)
        throw new GatewayError(
          'INVALID_STATE',
          `The subscription is ${locked.status}. Only a PAUSED subscription can be resumed.`,
        );
      const now = world.clock.now();
      const dates = resumedDates(locked, now);
      const pendingJobId = await scheduleRenewal(tx, { subscriptionId: locked.id, runAt: dates.dueAt });
      const subscription = await tx.subscription.update({
        where: { id: locked.id },
        data: { status, pausedAt: null, pendingJobId, ...dates.data },
      });
      await recordAction(tx, {
        action: 'subscription.resumed',
        owner: { appId: locked.appId },
        target: { type: 'Subscription', id: locked.id },
        before: { status: locked.status },
        after: { status },
      });
      await appendEvents(tx, subscription.appId, [
        { type: 'subscription.resumed', resourceId: subscription.id, data: subscriptionFields(subscription) },
      ]);
      return subscription;
    }),
  );
}

function resumedDates(
  subscription: SubscriptionWithPrice,
  now: Date,
): { dueAt: Date; data: Prisma.SubscriptionUpdateInput } {
  const end = subscription.currentPeriodEnd;
  if (end !== null && end > now) return { dueAt: end, data: {} };
  // The old period is over; the renewal at `now` starts the next one.
  return { dueAt: now, data: { currentPeriodEnd: now, billingCycleAnchor: now } };
}
