import type { Database, Subscription } from '../../prisma/client.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { dropUnpaidInvoices } from './renewal/drop-unpaid-invoices.ts';
import { restingJob } from './renewal/resting-job.ts';
import { lockOwnSubscription } from './store.ts';
import { nextSubscriptionStatus } from './subscription.ts';
import { subscriptionFields } from './subscription-fields.ts';

/**
 * Pauses an ACTIVE subscription: until it is resumed, no invoices are created and no retries run; an unpaid invoice is voided. A
 * pending charge still counts. Appends `invoice.voided` and `subscription.paused`. Throws NOT_FOUND and INVALID_STATE.
 */
export async function pauseSubscription(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest | undefined },
): Promise<Subscription> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const locked = await lockOwnSubscription(tx, request);
      const status = nextSubscriptionStatus(locked.status, 'PAUSE');
      if (!status)
        throw new GatewayError(
          'INVALID_STATE',
          `The subscription is ${locked.status}. Only an ACTIVE subscription can be paused.`,
        );
      const now = world.clock.now();
      const events = await dropUnpaidInvoices(tx, { subscription: locked, now, trigger: 'VOID' });
      const pendingJobId = await restingJob(tx, { subscriptionId: locked.id, wakeAt: locked.cancelAt, now });
      const subscription = await tx.subscription.update({
        where: { id: locked.id },
        data: { status, pausedAt: now, captureRetryCount: 0, pendingJobId },
      });
      await recordAction(tx, {
        action: 'subscription.paused',
        owner: { appId: locked.appId },
        target: { type: 'Subscription', id: locked.id },
        before: { status: locked.status },
        after: { status },
      });
      await appendEvents(tx, subscription.appId, [
        ...events,
        { type: 'subscription.paused', resourceId: subscription.id, data: subscriptionFields(subscription) },
      ]);
      return subscription;
    }),
  );
}
