/**
 * Usage periods: the part of a subscription's time to which an event belongs, and until when it is accepted.
 *
 * A usage period has one metered price and a running total. It begins where the one before it ends, and ends with the
 * subscription's period or, if the plan is changed within that, at the change. It is open until the invoice that charges it is
 * opened: the grace after the end of the subscription's period. A closed one takes no events.
 *
 * Authority: this table, for what was used; the price, for what it costs. It owns no dates of the subscription.
 */
import type { Subscription, UsagePeriod } from '../../../prisma/client.ts';
import type { UsageError } from './usage-event.ts';

export type MeteredSubscription = Pick<
  Subscription,
  | 'id'
  | 'status'
  | 'currentPeriodStart'
  | 'currentPeriodEnd'
  | 'cancelAt'
  | 'cancelledAt'
  | 'finalUsageDueAt'
  | 'trialEnd'
> & {
  /** The price that the subscription has now, if that is metered. */
  meteredPriceId: string | null;
};

export type OpenUsage = Pick<UsagePeriod, 'id' | 'productPlanPriceId' | 'startsAt' | 'endsAt'>;

export type NewUsagePeriod = Pick<UsagePeriod, 'subscriptionId' | 'productPlanPriceId' | 'startsAt' | 'isFree'>;

/** The usage periods of a subscription that matter for new events. */
export type UsageCalendar = {
  subscription: MeteredSubscription;
  /** In the order of their starts. */
  open: readonly OpenUsage[];
  /** The end of the newest closed one. */
  closedUntil: Date | null;
};

export type UsagePlace =
  | { kind: 'PERIOD'; id: string }
  | { kind: 'NEW'; period: NewUsagePeriod }
  | { kind: 'REJECTED'; error: UsageError };

/** Where usage at an instant belongs. */
export function usagePlace({ subscription, open, closedUntil }: UsageCalendar, at: Date): UsagePlace {
  const { status, currentPeriodStart } = subscription;
  if (currentPeriodStart === null) return rejected('NOT_STARTED', 'The subscription has not started.');
  if (closedUntil !== null && at < closedUntil) return closed(closedUntil);
  const end = status === 'CANCELLED' ? usageEnd(subscription) : subscription.cancelAt;
  if (end !== null && at >= end) {
    return rejected('SUBSCRIPTION_ENDED', `The subscription ends at ${end.toISOString()}.`, 'timestamp');
  }
  if (status === 'CANCELLED' && subscription.finalUsageDueAt === null) return closed(end ?? at);
  const newest = open.findLast(({ startsAt }) => startsAt <= at);
  if (newest) {
    const until = endOf(newest, subscription);
    if (until === null || at < until) return { kind: 'PERIOD', id: newest.id };
    return following(subscription, {
      startsAt: until,
      priceId: subscription.meteredPriceId ?? newest.productPlanPriceId,
    });
  }
  const startsAt = closedUntil ?? open[0]?.startsAt ?? currentPeriodStart;
  if (at < startsAt) {
    return rejected('NOT_STARTED', `Usage is counted from ${startsAt.toISOString()} on.`, 'timestamp');
  }
  if (subscription.meteredPriceId === null) {
    return rejected('NOT_METERED', "The subscription's price is not metered.", 'subscriptionId');
  }
  return following(subscription, { startsAt, priceId: subscription.meteredPriceId });
}

/** When a subscription ended: at the end of its period, even if that was processed later, or at the cancellation. */
export function usageEnd({ cancelAt, cancelledAt }: Pick<Subscription, 'cancelAt' | 'cancelledAt'>): Date | null {
  if (cancelAt === null || cancelledAt === null) return cancelledAt;
  return cancelAt < cancelledAt ? cancelAt : cancelledAt;
}

/** Where an open usage period ends, as far as this is known. While the subscription is paused, its period has no end. */
export function endOf(
  { startsAt, endsAt }: Pick<OpenUsage, 'startsAt' | 'endsAt'>,
  subscription: Pick<Subscription, 'status' | 'currentPeriodEnd'>,
): Date | null {
  if (endsAt !== null) return endsAt;
  const { status, currentPeriodEnd } = subscription;
  if (status === 'PAUSED' || currentPeriodEnd === null) return null;
  return currentPeriodEnd > startsAt ? currentPeriodEnd : null;
}

/** Whether usage from this instant on is used in the trial, which is free. */
export function isInTrial({ trialEnd }: Pick<Subscription, 'trialEnd'>, startsAt: Date): boolean {
  return trialEnd !== null && startsAt < trialEnd;
}

function following(
  subscription: MeteredSubscription,
  { startsAt, priceId }: { startsAt: Date; priceId: string },
): UsagePlace {
  const isFree = isInTrial(subscription, startsAt);
  return {
    kind: 'NEW',
    period: { subscriptionId: subscription.id, productPlanPriceId: priceId, startsAt, isFree },
  };
}

function closed(until: Date): UsagePlace {
  return rejected('PERIOD_CLOSED', `The usage before ${until.toISOString()} is billed already.`, 'timestamp');
}

function rejected(code: UsageError['code'], message: string, param = 'subscriptionId'): UsagePlace {
  return { kind: 'REJECTED', error: { code, param, message } };
}

/**
 * How long after the end of its period usage is accepted, and its renewal waits, in milliseconds: the app's setting, at most half of
 * the period, so that the contract's next charge is never missed.
 */
export function usageGraceMs(
  subscription: Pick<Subscription, 'currentPeriodStart' | 'currentPeriodEnd'>,
  { usageGraceSeconds }: { usageGraceSeconds: number },
): number {
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  const setting = usageGraceSeconds * 1000;
  if (start === null || end === null) return setting;
  return Math.max(0, Math.min(setting, (end.getTime() - start.getTime()) / 2));
}
