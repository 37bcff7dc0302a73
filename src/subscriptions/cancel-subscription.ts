import { type Database, type DatabaseTransaction, type Subscription, transaction } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { appendEvents, type NewEvent } from '../events/append-events.ts';
import { invoiceFields, nextInvoiceStatus } from '../invoices/invoice.ts';
import { lockInvoice } from '../invoices/store.ts';
import type { Clock } from '../platform/clock.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { scheduleRenewal } from './schedule-renewal.ts';
import { lockOwnSubscription, type SubscriptionWithPrice } from './store.ts';
import { nextSubscriptionStatus, type SubscriptionTrigger } from './subscription.ts';
import { subscriptionFields } from './subscription-fields.ts';

/**
 * Cancels now, or at the end of the running period (without one: now). Cancelling at the period's end keeps the status and
 * sets `cancelAt`; asking again changes nothing. Appends `subscription.cancelled` when it ends.
 * Throws NOT_FOUND; INVALID_STATE for a subscription that has ended.
 */
export async function cancelSubscription(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; cancelAtPeriodEnd: boolean; idempotency?: IdempotencyRequest | undefined },
): Promise<Subscription> {
  const first = await firstAnswer<Subscription>(world.database, request.idempotency);
  if (first) return first.result;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => {
      const locked = await lockOwnSubscription(tx, request);
      const now = world.clock.now();
      const end = locked.currentPeriodEnd;
      const isLater = request.cancelAtPeriodEnd && end !== null && end > now;
      if (!isLater) return endSubscription(tx, { subscription: locked, trigger: 'CANCEL_NOW', now });
      if (nextSubscriptionStatus(locked.status, 'CANCEL_AT_PERIOD_END') === null) throw ended(locked);
      const pendingJobId = await scheduleRenewal(tx, { subscriptionId: locked.id, runAt: end });
      return tx.subscription.update({
        where: { id: locked.id },
        data: { cancelAt: end, cancelAtPeriodEnd: true, pendingJobId },
      });
    }),
  );
  return result;
}

/**
 * Ends a subscription that the caller holds locked: CANCELLED, its unpaid invoices void, told by `subscription.cancelled`
 * as the last statement. A charge that is on its way still counts.
 */
export async function endSubscription(
  tx: DatabaseTransaction,
  request: { subscription: SubscriptionWithPrice; trigger: SubscriptionTrigger; now: Date },
): Promise<Subscription> {
  const { subscription: locked, trigger, now } = request;
  const status = nextSubscriptionStatus(locked.status, trigger);
  if (!status) throw ended(locked);
  const events: NewEvent[] = [];
  const unpaid = await tx.invoice.findMany({
    where: { subscriptionId: locked.id, status: { in: ['DRAFT', 'OPEN', 'PAST_DUE'] }, paymentIntent: null },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  for (const { id } of unpaid) {
    const invoice = await lockInvoice(tx, id);
    const voided = nextInvoiceStatus(invoice.status, 'VOID');
    if (!voided) continue;
    const row = await tx.invoice.update({ where: { id }, data: { status: voided, voidedAt: now } });
    events.push({ type: 'invoice.voided', resourceId: row.id, data: invoiceFields(row) });
  }
  const subscription = await tx.subscription.update({
    where: { id: locked.id },
    data: { status, cancelledAt: now, pendingJobId: null },
  });
  await appendEvents(tx, subscription.appId, [
    ...events,
    { type: 'subscription.cancelled', resourceId: subscription.id, data: subscriptionFields(subscription) },
  ]);
  return subscription;
}

function ended(subscription: Subscription): GatewayError {
  return new GatewayError('INVALID_STATE', `The subscription is ${subscription.status}.`);
}
