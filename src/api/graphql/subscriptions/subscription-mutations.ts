/** The mutations that create, pause, resume and cancel subscriptions. */
import { z } from 'zod';
import { cancelSubscription } from '../../../subscriptions/cancel-subscription.ts';
import { createSubscription } from '../../../subscriptions/create-subscription.ts';
import { pauseSubscription } from '../../../subscriptions/pause-subscription.ts';
import { resumeSubscription } from '../../../subscriptions/resume-subscription.ts';
import { createSubscriptionSchema } from '../../../subscriptions/subscription-input.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { givenSelectionFaults, requireSelection } from '../server/selection-rules.ts';
import { SubscriptionRef } from './subscription.ts';

const createRules = defineRules({ schema: createSubscriptionSchema, also: givenSelectionFaults });
const CreateSubscriptionInput = builder.inputType('CreateSubscriptionInput', {
  description: 'Input for creating a subscription, which is PENDING until its first payment.',
  extensions: carryRules(createRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', required: true, description: 'The owning app.' }),
    customerAccountId: t.field({ type: 'UUID', required: true, description: 'A customer of the app.' }),
    productPlanId: t.field({ type: 'UUID', required: true, description: 'A SUBSCRIPTION plan of the app.' }),
    productPlanPriceId: t.field({ type: 'UUID', required: true, description: 'A price of that plan.' }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'Numeric IDs of EVM chains. Defaults to ALL.' }),
    allowedTokens: t.field({
      type: 'TokenSelection',
      description: 'Token keys, excluding native coins. Defaults to ALL.',
    }),
    couponId: t.field({
      type: 'UUID',
      description: 'A coupon of the app for the first invoices. Not allowed together with couponCode.',
    }),
    couponCode: t.string({ description: 'The code of a coupon of the app, instead of its ID. Case-insensitive.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

const cancelRules = defineRules({ schema: z.object({ ...appIdShape, cancelAtPeriodEnd: z.boolean().nullish() }) });
const CancelSubscriptionInput = builder.inputType('CancelSubscriptionInput', {
  description: 'Input for cancelling a subscription.',
  extensions: carryRules(cancelRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    cancelAtPeriodEnd: t.boolean({
      description:
        'If true, the subscription ends at the end of the current period; if false, it ends now. Defaults to false.',
    }),
  }),
});

builder.mutationField('createSubscription', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'Creates a PENDING subscription, which may redeem a coupon. CONFLICT if a limit of the coupon is reached.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateSubscriptionInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, createRules, args.input);
      const scope = await appScopeOf(context, { appId });
      await requireSelection(context, { appId: scope.appId, given: input });
      const call = { scopeId: scope.appId, operation: 'createSubscription', parameters: input };
      const idempotency = idempotencyOf(context, call);
      return createSubscription(context.world, { appId: scope.appId, input, idempotency });
    },
  }),
);

builder.mutationField('pauseSubscription', (t) =>
  t.field({
    type: SubscriptionRef,
    description: 'Pauses an ACTIVE subscription. It is not charged until it is resumed.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      const scope = await scopeOf(context);
      const call = { scopeId: scope.appId ?? scope.merchantId, operation: 'pauseSubscription', parameters: { id } };
      return pauseSubscription(context.world, { scope, id, idempotency: idempotencyOf(context, call) });
    },
  }),
);

builder.mutationField('resumeSubscription', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'Resumes a PAUSED subscription. Its period continues if it has not ended; otherwise a new period starts now.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      const scope = await scopeOf(context);
      const call = { scopeId: scope.appId ?? scope.merchantId, operation: 'resumeSubscription', parameters: { id } };
      return resumeSubscription(context.world, { scope, id, idempotency: idempotencyOf(context, call) });
    },
  }),
);

builder.mutationField('cancelSubscription', (t) =>
  t.field({
    type: SubscriptionRef,
    description: 'Cancels a subscription, now or at the end of its period.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: CancelSubscriptionInput, description: 'Optional. By default the subscription ends now.' }),
    },
    resolve: async (_root, args, context) => {
      const { appId, cancelAtPeriodEnd } = checked(context, cancelRules, args.input ?? {});
      const scope = await scopeOf(context, { appId });
      const request = { id: args.id, cancelAtPeriodEnd: cancelAtPeriodEnd ?? false };
      const call = { scopeId: scope.appId ?? scope.merchantId, operation: 'cancelSubscription', parameters: request };
      return cancelSubscription(context.world, { scope, ...request, idempotency: idempotencyOf(context, call) });
    },
  }),
);
