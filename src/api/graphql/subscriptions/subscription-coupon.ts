/** The coupon of a subscription, and the mutations that apply and remove it. */
import { applySubscriptionCoupon } from '../../../subscriptions/discount/apply-subscription-coupon.ts';
import { removeSubscriptionCoupon } from '../../../subscriptions/discount/remove-subscription-coupon.ts';
import { subscriptionCouponSchema } from '../../../subscriptions/subscription-input.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';
import { SubscriptionRef } from './subscription.ts';

builder.prismaObjectField(SubscriptionRef, 'coupon', (t) =>
  t.relation('coupon', { nullable: true, description: 'The coupon of `couponId`. Null without a coupon.' }),
);

const applyRules = defineRules({ schema: subscriptionCouponSchema.safeExtend(appIdShape) });
const ApplySubscriptionCouponInput = builder.inputType('ApplySubscriptionCouponInput', {
  description:
    'The coupon for the next invoices of a subscription. Exactly one of `couponId` and `couponCode` is required.',
  extensions: carryRules(applyRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    couponId: t.field({
      type: 'UUID',
      description: "A coupon of the app. If its discount is an amount, it must be in the price's currency.",
    }),
    couponCode: t.string({ description: 'The code of a coupon of the app, instead of its ID. Case-insensitive.' }),
  }),
});

builder.mutationField('applySubscriptionCoupon', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'Redeems a coupon for the next invoices of an ACTIVE, PAUSED or PAST_DUE subscription, and replaces its current coupon. An invoice that is already open keeps its amount. CONFLICT if a limit of the coupon is reached.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: ApplySubscriptionCouponInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...named } = checked(context, applyRules, args.input);
      const scope = await scopeOf(context, { appId });
      const call = {
        scopeId: scope.appId ?? scope.merchantId,
        operation: 'applySubscriptionCoupon',
        parameters: { id: args.id, ...named },
      };
      const idempotency = idempotencyOf(context, call);
      return applySubscriptionCoupon(context.world, { scope, id: args.id, named, idempotency });
    },
  }),
);

builder.mutationField('removeSubscriptionCoupon', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'Removes the coupon of an ACTIVE, PAUSED or PAST_DUE subscription. Its next invoices charge the full price; an invoice that is already open keeps its amount. Has no effect if there is no coupon.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) =>
      removeSubscriptionCoupon(context.world, { scope: await scopeOf(context), id }),
  }),
);
