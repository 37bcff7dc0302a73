/** The mutation that moves a subscription to another price. */
import { z } from 'zod';
import { changeSubscriptionPlan } from '../../../subscriptions/plan-change/change-subscription-plan.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';
import { SubscriptionRef } from './subscription.ts';

const changeRules = defineRules({
  schema: z.object({ ...appIdShape, productPlanPriceId: z.guid(), productPlanId: z.guid().nullish() }),
});
const ChangeSubscriptionPlanInput = builder.inputType('ChangeSubscriptionPlanInput', {
  description: 'The price at which a subscription will be renewed.',
  extensions: carryRules(changeRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    productPlanPriceId: t.field({
      type: 'UUID',
      required: true,
      description: "A price of the app, in the subscription's currency and within the cap that the payer signed.",
    }),
    productPlanId: t.field({
      type: 'UUID',
      description: "The plan of the price. Defaults to the subscription's current plan.",
    }),
  }),
});

builder.mutationField('changeSubscriptionPlan', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'Changes the price of an ACTIVE subscription. A price with the same interval applies from now, prorated on the next invoice; a price with another interval applies from the end of the period. INVALID_STATE if the price exceeds the signed cap, if its interval is shorter than the signed one, and while a payment is pending.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: ChangeSubscriptionPlanInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...change } = checked(context, changeRules, args.input);
      const scope = await scopeOf(context, { appId });
      const request = { id: args.id, change };
      const call = {
        scopeId: scope.appId ?? scope.merchantId,
        operation: 'changeSubscriptionPlan',
        parameters: { id: args.id, ...change },
      };
      return changeSubscriptionPlan(context.world, { scope, ...request, idempotency: idempotencyOf(context, call) });
    },
  }),
);
