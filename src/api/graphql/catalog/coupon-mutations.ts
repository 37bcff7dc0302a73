/** The mutations of coupons. */
import { createCouponSchema, updateCouponSchema } from '../../../catalog/coupons/coupon.ts';
import { createCoupon } from '../../../catalog/coupons/create-coupon.ts';
import { updateCoupon } from '../../../catalog/coupons/update-coupon.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { CouponDurationEnum, CouponRef } from './coupon.ts';

const createRules = defineRules({ schema: createCouponSchema.safeExtend(appIdShape) });
const CreateCouponInput = builder.inputType('CreateCouponInput', {
  description: 'Input for creating a coupon. Exactly one of `percentOffBps` and `amountOff` is required.',
  extensions: carryRules(createRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    name: t.string({ required: true, description: '1 to 255 characters. Visible to payers.' }),
    code: t.string({ description: '1 to 50 letters, digits, hyphens and underscores; case-insensitive.' }),
    percentOffBps: t.int({ description: 'Basis points: 1 to 10000.' }),
    amountOff: t.field({ type: 'Decimal', description: 'Greater than zero, at most 2 decimals.' }),
    currency: t.string({ description: 'USD or EUR. Defaults to USD. Allowed only with `amountOff`.' }),
    duration: t.field({
      type: CouponDurationEnum,
      description: 'Which invoices of a subscription the coupon reduces. Defaults to ONCE. Cannot be changed.',
    }),
    durationPeriods: t.int({ description: '1 to 1000. Required if duration is REPEATING; not allowed otherwise.' }),
    maxRedemptions: t.int({ description: '1 to 1000000000. Unlimited by default.' }),
    maxRedemptionsPerCustomer: t.int({ description: '1 to 1000000000. Unlimited by default.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'Time from which no new checkout can redeem it.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

const updateRules = defineRules({ schema: updateCouponSchema.extend(appIdShape) });
const UpdateCouponInput = builder.inputType('UpdateCouponInput', {
  description:
    'Changes to a coupon. An absent field is unchanged, and null removes a limit. Code and discount cannot be changed.',
  extensions: carryRules(updateRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'The owning app, which cannot be changed.' }),
    name: t.string({ description: '1 to 255 characters.' }),
    maxRedemptions: t.int({ description: '1 to 1000000000. Null means unlimited.' }),
    maxRedemptionsPerCustomer: t.int({ description: '1 to 1000000000. Null means unlimited.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'Null means that the coupon does not expire.' }),
    isActive: t.boolean({ description: 'False archives it, and true restores it.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

builder.mutationField('createCoupon', (t) =>
  t.field({
    type: CouponRef,
    description: 'Creates a coupon. CONFLICT if another coupon of the app has the same code.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateCouponInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId: given, ...input } = checked(context, createRules, args.input);
      const { appId } = await appScopeOf(context, { appId: given });
      const call = { scopeId: appId, operation: 'createCoupon', parameters: input };
      return createCoupon(context.world, { appId, input, idempotency: idempotencyOf(context, call) });
    },
  }),
);

builder.mutationField('updateCoupon', (t) =>
  t.field({
    type: CouponRef,
    description: 'Changes the name and limits of a coupon. Existing sessions and subscriptions keep their discount.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: UpdateCouponInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, updateRules, args.input);
      return updateCoupon(context.world, { scope: await scopeOf(context, { appId }), id: args.id, input });
    },
  }),
);

builder.mutationField('archiveCoupon', (t) =>
  t.field({
    type: CouponRef,
    description:
      'Archives a coupon. No new checkout can redeem it; existing sessions and subscriptions keep their discount.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) =>
      updateCoupon(context.world, { scope: await scopeOf(context), id, input: { isActive: false } }),
  }),
);
