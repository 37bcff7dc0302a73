import type { DatabaseTransaction, Invoice, Prisma } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { type Cycle, periodIndex, periodStart } from '../billing-period.ts';
import { watchRenewal } from '../forecast/watch-renewal.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import { nextSubscriptionStatus } from '../subscription.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import type { RenewableSubscription } from './renewal-world.ts';

/**
 * Moves a subscription, whose lock the caller holds, into the period of an invoice that is paid or waived; does nothing if it is
 * there already. A PAST_DUE subscription becomes ACTIVE again; a PAUSED or CANCELLED one keeps its status, because a charge that
 * was pending still counts. Returns `subscription.renewed` for the caller to append.
 */
export async function advanceSubscription(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; invoice: Invoice },
): Promise<NewEvent[]> {
  const { subscription, invoice } = request;
  const { periodStart: start, periodEnd: end } = invoice;
  if (start === null || end === null || !isAhead(subscription, { start, end })) return [];
  const data: Prisma.SubscriptionUpdateInput = {
    currentPeriodStart: start,
    currentPeriodEnd: end,
    billingCycleAnchor: anchorFor(subscription, { start, end }),
    captureRetryCount: 0,
    pastDueSince: null,
    status: nextSubscriptionStatus(subscription.status, 'RECOVER') ?? subscription.status,
    pendingJobId: await nextLook(tx, subscription, end),
  };
  const updated = await tx.subscription.update({ where: { id: subscription.id }, data });
  if (updated.status === 'ACTIVE') await watchRenewal(tx, { subscriptionId: updated.id, dueAt: end, after: start });
  if (updated.status === 'CANCELLED') return [];
  return [
    {
      type: 'subscription.renewed',
      resourceId: updated.id,
      data: { ...subscriptionFields(updated), invoiceId: invoice.id },
    },
  ];
}

function isAhead(subscription: RenewableSubscription, period: { start: Date; end: Date }): boolean {
  const { currentPeriodStart, currentPeriodEnd } = subscription;
  if (currentPeriodStart === null || currentPeriodEnd === null) return true;
  return period.start > currentPeriodStart && period.end > currentPeriodEnd;
}

/**
 * The anchor whose calendar contains the period. A charge that was pending when a pause moved the anchor has a period of the old
 * calendar.
 */
function anchorFor(subscription: RenewableSubscription, period: { start: Date; end: Date }): Date {
  const { billingCycleAnchor: anchor, productPlanPrice: price } = subscription;
  if (anchor === null || price.billingInterval === null) return period.start;
  const cycle: Cycle = { anchor, interval: price.billingInterval, count: price.billingIntervalCount };
  const isOfIt = periodStart(cycle, periodIndex(cycle, period.end)).getTime() === period.end.getTime();
  return isOfIt ? anchor : period.start;
}

async function nextLook(
  tx: DatabaseTransaction,
  subscription: RenewableSubscription,
  end: Date,
): Promise<string | null> {
  const { id, status, cancelAt } = subscription;
  if (status === 'CANCELLED') return null;
  if (status !== 'PAUSED') return await scheduleRenewal(tx, { subscriptionId: id, runAt: cancelAt ?? end });
  return cancelAt === null ? null : await scheduleRenewal(tx, { subscriptionId: id, runAt: cancelAt });
}
