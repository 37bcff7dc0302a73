/** The field Subscription.planChange: what a change of price would do. */
import type { PlanChangePreview } from '../../../subscriptions/plan-change/preview-plan-change.ts';
import { previewPlanChange } from '../../../subscriptions/plan-change/preview-plan-change.ts';
import type { RenewalLine } from '../../../subscriptions/renewal/renewal-lines.ts';
import { builder } from '../server/builder.ts';
import { scopeOf } from '../server/scope-of.ts';
import { SubscriptionRef } from './subscription.ts';

const PlanChangeLineRef = builder.objectRef<RenewalLine>('PlanChangeLine').implement({
  description: 'A line of the next invoice.',
  fields: (t) => ({
    description: t.exposeString('description', { description: 'Description of the line on the invoice.' }),
    amount: t.field({
      type: 'Decimal',
      description:
        'Amount of the line. It excludes exclusive tax and includes inclusive tax. Negative if it is a credit.',
      resolve: ({ amount }) => amount.toFixed(2),
    }),
    discountAmount: t.field({
      type: 'Decimal',
      description:
        "Discount of the subscription's coupon on the line. It excludes exclusive tax and includes inclusive tax.",
      resolve: ({ discountAmount }) => discountAmount.toFixed(2),
    }),
    taxAmount: t.field({
      type: 'Decimal',
      description: 'Tax on the line.',
      resolve: ({ taxed }) => taxed.taxAmount.toFixed(2),
    }),
  }),
});

const PlanChangePreviewRef = builder.objectRef<PlanChangePreview>('PlanChangePreview').implement({
  description: 'Preview of `changeSubscriptionPlan`. Amounts are in `currency`, with 2 decimals.',
  fields: (t) => ({
    effectiveAt: t.expose('effectiveAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the price takes effect. Null if it is the current price.',
    }),
    isProrated: t.exposeBoolean('isProrated', {
      description: 'Whether the rest of the current period is credited at the old price and charged at the new one.',
    }),
    nextChargeAt: t.expose('nextChargeAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Due time of the next invoice.',
    }),
    lines: t.field({
      type: [PlanChangeLineRef],
      description: 'Lines of the next invoice: its period, followed by prorations of this change and earlier ones.',
      resolve: ({ lines }) => lines,
    }),
    subtotal: t.field({
      type: 'Decimal',
      description: 'Amount of the next invoice without tax.',
      resolve: ({ subtotal }) => subtotal.toFixed(2),
    }),
    taxAmount: t.field({
      type: 'Decimal',
      description: 'Tax on the next invoice.',
      resolve: ({ taxAmount }) => taxAmount.toFixed(2),
    }),
    discountAmount: t.field({
      type: 'Decimal',
      description:
        "Discount of the subscription's coupon on the lines. It excludes exclusive tax and includes inclusive tax, and is already deducted from the totals.",
      resolve: ({ discountAmount }) => discountAmount.toFixed(2),
    }),
    total: t.field({
      type: 'Decimal',
      description: 'Amount of the next invoice, including tax. Never negative.',
      resolve: ({ total }) => total.toFixed(2),
    }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    carriedCredit: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'Credit that remains for later invoices, including tax. Null if there is none.',
      resolve: ({ carriedCredit }) => carriedCredit?.toFixed(2) ?? null,
    }),
  }),
});

builder.prismaObjectField(SubscriptionRef, 'planChange', (t) =>
  t.field({
    type: PlanChangePreviewRef,
    description: 'Preview of a change to a price. Nothing is changed. It fails with the same errors as the change.',
    authScopes: { read: true },
    // Prices and periods are computed, so the field must not be cheap in lists of subscriptions.
    complexity: 200,
    args: {
      productPlanPriceId: t.arg({ type: 'UUID', required: true, description: 'ID of a price of the app.' }),
    },
    select: { id: true },
    resolve: async ({ id }, { productPlanPriceId }, context) =>
      previewPlanChange(context.world, { scope: await scopeOf(context), id, change: { productPlanPriceId } }),
  }),
);
