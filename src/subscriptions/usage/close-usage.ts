import type { DatabaseTransaction, Prisma, SubscriptionAdjustment, UsagePeriod } from '../../../prisma/client.ts';
import { changes } from '../../../prisma/written-row.ts';
import { newId } from '../../platform/identifier.ts';
import { pricedUsage, usageLine } from './usage-line.ts';
import { isInTrial } from './usage-period.ts';

/** A subscription, whose lock the caller holds, with the instant at which its usage is billed. */
export type ClosingUsage = {
  subscription: {
    id: string;
    productPlanPrice: { id: string; metering: unknown };
    currentPeriodStart: Date | null;
    trialEnd: Date | null;
  };
  until: Date;
  /** The price from then on; null if the subscription has ended. */
  next: { id: string; metering: unknown } | null;
};

/**
 * Closes the usage periods of several subscriptions up to an instant, by statements for all of them: from then on they take no events.
 * Opens the periods that follow, where the next price is metered. Writes and returns what the usage costs, to be charged by the next
 * invoices. Subscriptions without usage periods and metered prices take one statement together.
 */
export async function closeUsage(
  tx: DatabaseTransaction,
  { closing, now }: { closing: readonly ClosingUsage[]; now: Date },
): Promise<SubscriptionAdjustment[]> {
  if (closing.length === 0) return [];
  await addMissing(tx, closing);
  const untilOf = new Map(closing.map(({ subscription, until }) => [subscription.id, until]));
  const open = await tx.usagePeriod.findMany({
    where: { subscriptionId: { in: [...untilOf.keys()] }, closedAt: null },
    include: pricedUsage,
    orderBy: [{ subscriptionId: 'asc' }, { startsAt: 'asc' }],
  });
  const ended = open.flatMap((period, index) => {
    const until = untilOf.get(period.subscriptionId);
    if (!until || period.startsAt >= until) return [];
    const next = open[index + 1];
    const isFollowed = next?.subscriptionId === period.subscriptionId && next.startsAt < until;
    return [{ ...period, endsAt: period.endsAt ?? (isFollowed ? next.startsAt : until), closedAt: now }];
  });
  if (ended.length > 0) {
    const rows = ended.map(({ id, endsAt, closedAt }) => ({ id, endsAt, closedAt }));
    await tx.$executeRaw(
      changes<UsagePeriod, 'endsAt' | 'closedAt'>({ name: 'usage_period' }, ['endsAt', 'closedAt'], rows),
    );
  }
  await openNext(tx, closing);
  const dueAdjustments: Prisma.SubscriptionAdjustmentCreateManyInput[] = ended.flatMap((period) => {
    const line = usageLine(period, period.endsAt);
    if (line === null) return [];
    const { amount, taxAmount, ...facts } = line;
    const { subscriptionId } = period;
    return [
      {
        ...facts,
        id: newId(),
        subscriptionId,
        amount: amount.toFixed(2),
        taxAmount: taxAmount.toFixed(2),
        createdAt: now,
      },
    ];
  });
  return dueAdjustments.length === 0
    ? []
    : await tx.subscriptionAdjustment.createManyAndReturn({ data: dueAdjustments });
}

/** A metered period in which nothing was used is closed as well, so that late events of it are refused. */
async function addMissing(tx: DatabaseTransaction, closing: readonly ClosingUsage[]): Promise<void> {
  const metered = closing.flatMap(({ subscription, until }) => {
    const { id: subscriptionId, productPlanPrice: price, currentPeriodStart: startsAt } = subscription;
    if (price.metering === null || startsAt === null || startsAt >= until) return [];
    const isFree = isInTrial(subscription, startsAt);
    return [{ id: newId(), subscriptionId, productPlanPriceId: price.id, startsAt, isFree }];
  });
  if (metered.length === 0) return;
  const known = await tx.usagePeriod.findMany({
    where: { subscriptionId: { in: metered.map(({ subscriptionId }) => subscriptionId) } },
    distinct: ['subscriptionId'],
    select: { subscriptionId: true },
  });
  const has = new Set(known.map(({ subscriptionId }) => subscriptionId));
  const missing = metered.filter(({ subscriptionId }) => !has.has(subscriptionId));
  if (missing.length > 0) await tx.usagePeriod.createMany({ data: missing, skipDuplicates: true });
}

/** One that an early event has opened gets the price that applies from now on. */
async function openNext(tx: DatabaseTransaction, closing: readonly ClosingUsage[]): Promise<void> {
  const rows = closing.flatMap(({ subscription, until, next }) => {
    if (next === null || next.metering === null) return [];
    const isFree = isInTrial(subscription, until);
    return [{ id: newId(), subscriptionId: subscription.id, priceId: next.id, startsAt: until, isFree }];
  });
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO usage_period (id, subscription_id, product_plan_price_id, starts_at, is_free)
    SELECT id, "subscriptionId", "priceId", "startsAt", "isFree"
    FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS given(id uuid, "subscriptionId" uuid, "priceId" uuid, "startsAt" timestamptz, "isFree" boolean)
    ON CONFLICT (subscription_id, starts_at) DO UPDATE SET product_plan_price_id = excluded.product_plan_price_id`;
}
