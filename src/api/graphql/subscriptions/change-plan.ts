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
  description: 'The price that a subscription is to be renewed at.',
  extensions: carryRules(changeRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    productPlanPriceId: t.field({
      type: 'UUID',
      required: true,
      description: "A price of the app's, in the subscription's currency, within the cap that the payer signed.",
    }),
    productPlanId: t.field({ type: 'UUID', description: 'The plan that the price is of; its own by default.' }),
  }),
});

builder.mutationField('changeSubscriptionPlan', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'Changes the price of an ACTIVE subscription. The same interval counts from now, prorated on the next invoice; another interval from the end of the period. INVALID_STATE above the signed cap, for an interval shorter than was signed, and while a payment is under way.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'Its UUID.' }),
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
