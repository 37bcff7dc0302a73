/** The mutation createSubscriptionCheckout. */
import { z } from 'zod';
import { createCheckoutSessionSchema } from '../../../checkout/checkout-session.ts';
import { createSubscriptionCheckout } from '../../../subscriptions/checkout/create-subscription-checkout.ts';
import { CheckoutSessionRef, CheckoutUiModeEnum } from '../checkout/checkout-session.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';

const { uiMode, successUrl, cancelUrl } = createCheckoutSessionSchema.shape;
const rules = defineRules({ schema: z.object({ ...appIdShape, uiMode, successUrl, cancelUrl }) });

const CreateSubscriptionCheckoutInput = builder.inputType('CreateSubscriptionCheckoutInput', {
  description: 'How a subscription is begun.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    uiMode: t.field({ type: CheckoutUiModeEnum, description: 'HOSTED by default.' }),
    successUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after signing.' }),
    cancelUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after cancelling.' }),
  }),
});

builder.mutationField('createSubscriptionCheckout', (t) =>
  t.field({
    type: CheckoutSessionRef,
    description:
      'Opens the session in which the payer of a PENDING subscription signs the consent and pays the first period. With a trial, nothing is paid yet. Its client secret is returned only by this mutation.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: "The subscription's UUID." }),
      input: t.arg({
        type: CreateSubscriptionCheckoutInput,
        description: 'Optional. Defaults to HOSTED without addresses.',
      }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...options } = checked(context, rules, args.input ?? {});
      const scope = await scopeOf(context, { appId });
      const { session, clientSecret } = await createSubscriptionCheckout(context.world, {
        scope,
        subscriptionId: args.id,
        options,
        idempotency: idempotencyOf(context, {
          scopeId: scope.appId ?? scope.merchantId,
          operation: 'createSubscriptionCheckout',
          parameters: { id: args.id, ...options },
        }),
      });
      return { ...session, clientSecret };
    },
  }),
);
