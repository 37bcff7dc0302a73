import { type Database, type Subscription, transaction } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { lockOwnSubscription } from './store.ts';
import { nextSubscriptionStatus } from './subscription.ts';
import { subscriptionFields } from './subscription-fields.ts';

/**
 * Pauses an ACTIVE subscription: no invoice is made and no open retry is run until it is resumed. A charge that is already
 * on its way still counts. Appends `subscription.paused`. Throws NOT_FOUND, INVALID_STATE.
 */
export async function pauseSubscription(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest | undefined },
): Promise<Subscription> {
  const first = await firstAnswer<Subscription>(world.database, request.idempotency);
  if (first) return first.result;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => {
      const locked = await lockOwnSubscription(tx, request);
      const status = nextSubscriptionStatus(locked.status, 'PAUSE');
      if (!status)
        throw new GatewayError('INVALID_STATE', `The subscription is ${locked.status}; only an ACTIVE one pauses.`);
      const subscription = await tx.subscription.update({
        where: { id: locked.id },
        data: { status, pausedAt: world.clock.now(), captureRetryCount: 0 },
      });
      await appendEvents(tx, subscription.appId, [
        { type: 'subscription.paused', resourceId: subscription.id, data: subscriptionFields(subscription) },
      ]);
      return subscription;
    }),
  );
  return result;
}
