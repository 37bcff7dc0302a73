/** The usage of a subscription by period. */
import type { Prisma } from '../../../../prisma/client.ts';
import { meteredAmount, storedMetering } from '../../../catalog/metering.ts';
import { notFound } from '../../../errors.ts';
import { endOf } from '../../../subscriptions/usage/usage-period.ts';
import { builder } from '../server/builder.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { SubscriptionRef } from './subscription.ts';

/** The relations that a row of usage is loaded with. */
export const shownUsage = {
  productPlanPrice: true,
  subscription: { select: { status: true, currentPeriodEnd: true } },
} as const satisfies Prisma.UsagePeriodInclude;
type PricedPeriod = Prisma.UsagePeriodGetPayload<{ include: typeof shownUsage }>;

export const SubscriptionUsageRef = builder.objectRef<PricedPeriod>('SubscriptionUsage').implement({
  description: 'The usage of a subscription in one of its periods, at one metered price.',
  fields: (t) => ({
    periodStart: t.expose('startsAt', { type: 'DateTime', description: 'Start of the period.' }),
    periodEnd: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'End of the period. Null while it is unknown, and while the subscription is paused.',
      resolve: (period) => endOf(period, period.subscription),
    }),
    quantity: t.expose('quantity', { type: 'Decimal', description: 'Units used so far.' }),
    unitName: t.string({
      description: 'Name of a unit.',
      resolve: ({ productPlanPrice }) => storedMetering(productPlanPrice.metering)?.unitName ?? '',
    }),
    eventCount: t.exposeInt('eventCount', { description: 'Number of events that were recorded.' }),
    amount: t.field({
      type: 'Decimal',
      description: 'Cost of the usage so far, without the base fee and without exclusive tax. 0.00 during a trial.',
      resolve: amountOf,
    }),
    currency: t.string({
      description: 'USD or EUR.',
      resolve: ({ productPlanPrice }) => productPlanPrice.currency,
    }),
    productPlanPriceId: t.expose('productPlanPriceId', {
      type: 'UUID',
      description: 'The price that applies to the usage.',
    }),
    closedAt: t.expose('closedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the usage was billed. The period accepts no further events. Null while it is open.',
    }),
  }),
});

function amountOf({ productPlanPrice, quantity, isFree }: PricedPeriod): string {
  const metering = storedMetering(productPlanPrice.metering);
  return metering === null || isFree ? '0.00' : meteredAmount(metering, quantity.toFixed()).amount;
}

builder.prismaObjectField(SubscriptionRef, 'usage', (t) =>
  t.field({
    type: [SubscriptionUsageRef],
    description:
      'Usage that has not been billed yet, oldest first: the current period and, while late events are still accepted, the previous one. Empty if the price is not metered, and before the first event.',
    select: { usagePeriods: { where: { closedAt: null }, include: shownUsage, orderBy: { startsAt: 'asc' } } },
    resolve: ({ usagePeriods }) => usagePeriods,
  }),
);

type UsageQuery = Record<string, never>;

const SubscriptionUsagePage = builder.objectRef<Page<UsageQuery, PricedPeriod>>('SubscriptionUsagePage').implement({
  description: 'A page of the usage of a subscription, newest period first.',
  fields: (t) => ({
    items: t.field({
      type: [SubscriptionUsageRef],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (page) => page.items({}),
    }),
    ...pageFields(t),
  }),
});

builder.queryField('subscriptionUsagePage', (t) =>
  t.field({
    type: SubscriptionUsagePage,
    description:
      'A numbered page of the usage of a subscription, newest period first. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: { ...pageArgs, id: t.arg.id({ required: true, description: "The subscription's UUID." }) },
    resolve: async (_root, args, { database }) => {
      const where = { subscriptionId: args.id };
      const page = pageOf<UsageQuery, PricedPeriod>(args, {
        items: (_query, window) =>
          database.usagePeriod.findMany({ ...window, where, include: shownUsage, orderBy: { startsAt: 'desc' } }),
        total: () => database.usagePeriod.count({ where }),
      });
      const found = await database.subscription.findUnique({ where: { id: args.id }, select: { id: true } });
      if (!found) throw notFound('subscription');
      return page;
    },
  }),
);
