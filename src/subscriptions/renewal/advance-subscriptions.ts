import type { DatabaseTransaction, Invoice, Subscription, SubscriptionStatus } from '../../../prisma/client.ts';
import { changes } from '../../../prisma/written-row.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { type Cycle, periodIndex, periodStart } from '../billing-period.ts';
import { watchRenewals } from '../forecast/watch-renewal.ts';
import { type NextCheck, scheduleRenewals } from '../schedule-renewal.ts';
import { nextSubscriptionStatus } from '../subscription.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import type { RenewableSubscription } from './renewal-world.ts';

const advanced = [
  'status',
  'currentPeriodStart',
  'currentPeriodEnd',
  'billingCycleAnchor',
  'captureRetryCount',
  'pastDueSince',
  'pendingJobId',
] as const;

type Advance = {
  subscription: RenewableSubscription;
  invoice: Invoice;
  start: Date;
  end: Date;
  status: SubscriptionStatus;
};

/**
 * Moves subscriptions, whose locks the caller holds, into the periods of invoices that are paid or waived; does nothing for those that
 * are there already. A PAST_DUE subscription becomes ACTIVE again; a PAUSED or CANCELLED one keeps its status, because a charge that
 * was pending still counts. Returns the `subscription.renewed` events by subscription id for the caller to append.
 */
export async function advanceSubscriptions(
  tx: DatabaseTransaction,
  paid: readonly { subscription: RenewableSubscription; invoice: Invoice }[],
): Promise<Map<string, NewEvent[]>> {
  const advances = paid.flatMap(advanceOf);
  if (advances.length === 0) return new Map();
  const rows = advances.map(({ subscription, status, start, end }) => ({
    id: subscription.id,
    status,
    currentPeriodStart: start,
    currentPeriodEnd: end,
    billingCycleAnchor: anchorFor(subscription, { start, end }),
    captureRetryCount: 0,
    pastDueSince: null,
    pendingJobId: null,
  }));
  await tx.$executeRaw(changes<Subscription, (typeof advanced)[number]>({ name: 'subscription' }, advanced, rows));
  await scheduleRenewals(tx, advances.flatMap(nextCheck));
  const active = advances.filter(({ status }) => status === 'ACTIVE');
  await watchRenewals(
    tx,
    active.map(({ subscription, start, end }) => ({ subscriptionId: subscription.id, dueAt: end, after: start })),
  );
  const updated = await tx.subscription.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  const invoices = new Map(advances.map(({ subscription, invoice }) => [subscription.id, invoice]));
  const renewed = updated.filter(({ status }) => status !== 'CANCELLED');
  return new Map(
    renewed.map((subscription) => {
      const data = { ...subscriptionFields(subscription), invoiceId: invoices.get(subscription.id)?.id ?? null };
      return [subscription.id, [{ type: 'subscription.renewed', resourceId: subscription.id, data }]];
    }),
  );
}

function advanceOf({ subscription, invoice }: { subscription: RenewableSubscription; invoice: Invoice }): Advance[] {
  const { periodStart: start, periodEnd: end } = invoice;
  if (start === null || end === null || !isAhead(subscription, { start, end })) return [];
  const status = nextSubscriptionStatus(subscription.status, 'RECOVER') ?? subscription.status;
  return [{ subscription, invoice, start, end, status }];
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

function nextCheck({ subscription, end }: Advance): NextCheck[] {
  const { id: subscriptionId, status, cancelAt } = subscription;
  if (status === 'CANCELLED') return [];
  const runAt = status === 'PAUSED' ? cancelAt : (cancelAt ?? end);
  return runAt === null ? [] : [{ subscriptionId, runAt }];
}
