/** The field Subscription.upcomingCharges: its calendar. */
import { invalid } from '../../../errors.ts';
import { type UpcomingCharge, upcomingCharges } from '../../../subscriptions/forecast/upcoming-charges.ts';
import { renewalIncludes } from '../../../subscriptions/renewal/renewal-world.ts';
import { pricedUsage } from '../../../subscriptions/usage/usage-line.ts';
import { builder } from '../server/builder.ts';
import { SubscriptionRef } from './subscription.ts';

const LISTED_LIMIT = 36;

const UpcomingChargeRef = builder.objectRef<UpcomingCharge>('UpcomingCharge').implement({
  description:
    'An upcoming charge. Amounts are in `currency`, with 2 decimals. The token amount is calculated when the charge is due.',
  fields: (t) => ({
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      description:
        'Start of its period. It is charged at that time or, with a metered price, `usageGraceSeconds` later.',
    }),
    periodEnd: t.expose('periodEnd', { type: 'DateTime', description: 'End of its period.' }),
    subtotal: t.expose('subtotal', { type: 'Decimal', description: 'Amount without tax.' }),
    taxAmount: t.expose('taxAmount', { type: 'Decimal', description: 'Amount of the tax.' }),
    discountAmount: t.expose('discountAmount', {
      type: 'Decimal',
      description:
        "Discount of the subscription's coupon. It excludes exclusive tax and includes inclusive tax, and is already deducted from the other amounts.",
    }),
    total: t.expose('total', { type: 'Decimal', description: 'Amount to charge. Zero if credit covers it.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    productPlanPriceId: t.expose('productPlanPriceId', {
      type: 'UUID',
      description: 'ID of the price that is charged.',
    }),
    invoiceId: t.expose('invoiceId', {
      type: 'UUID',
      nullable: true,
      description:
        'The invoice of the charge if it is already open, such as while a failed charge is retried. Null otherwise.',
    }),
  }),
});

builder.prismaObjectField(SubscriptionRef, 'upcomingCharges', (t) =>
  t.field({
    type: [UpcomingChargeRef],
    description:
      'The upcoming charges if nothing changes, the next one first. The next one includes the usage so far. Empty while the subscription is not charged. The list ends where the subscription or the consent ends.',
    args: { first: t.arg.int({ required: true, defaultValue: 12, description: `1 to ${LISTED_LIMIT}.` }) },
    complexity: ({ first }) => ({ field: 1, multiplier: Math.max(1, Math.min(first, LISTED_LIMIT)) }),
    select: {
      status: true,
      currentPeriodEnd: true,
      billingCycleAnchor: true,
      cancelAt: true,
      productPlan: renewalIncludes.productPlan,
      productPlanPrice: true,
      nextPlanPrice: renewalIncludes.nextPlanPrice,
      consent: true,
      coupon: true,
      couponPeriodsLeft: true,
      adjustments: { where: { invoiceId: null } },
      usagePeriods: { where: { closedAt: null }, include: pricedUsage },
      invoices: {
        where: { usageReason: null, status: { in: ['OPEN', 'PAST_DUE'] } },
        orderBy: { periodStart: 'asc' },
        take: 10,
      },
    },
    resolve: (subscription, { first }, { world }) => {
      if (first < 1 || first > LISTED_LIMIT) {
        throw invalid([{ param: 'first', message: `is ${first}, between 1 and ${LISTED_LIMIT}` }]);
      }
      const { adjustments, invoices, currentPeriodEnd } = subscription;
      const openInvoice = invoices.find(
        ({ periodStart }) => periodStart !== null && currentPeriodEnd !== null && periodStart >= currentPeriodEnd,
      );
      return upcomingCharges({
        subscription,
        adjustments,
        usage: subscription.usagePeriods,
        openInvoice: openInvoice ?? null,
        now: world.clock.now(),
        limit: first,
      });
    },
  }),
);
