/** The mutation createSubscriptionCheckout. */
import { z } from 'zod';
import { createCheckoutSessionSchema } from '../../../checkout/checkout-session.ts';
import { createConsentRenewal } from '../../../subscriptions/checkout/create-consent-renewal.ts';
import { createSubscriptionCheckout } from '../../../subscriptions/checkout/create-subscription-checkout.ts';
import { CheckoutSessionRef, CheckoutUiModeEnum } from '../checkout/checkout-session.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';

const { uiMode, successUrl, cancelUrl } = createCheckoutSessionSchema.shape;
const purpose = z.enum(['START', 'RENEW_CONSENT']).nullish();
const rules = defineRules({ schema: z.object({ ...appIdShape, purpose, uiMode, successUrl, cancelUrl }) });

const SubscriptionCheckoutPurposeEnum = builder.enumType('SubscriptionCheckoutPurpose', {
  description: 'What the payer of a subscription does in a session.',
  values: {
    START: { value: 'START', description: 'Signs the consent of a PENDING subscription and pays the first period.' },
    RENEW_CONSENT: {
      value: 'RENEW_CONSENT',
      description:
        'Signs a consent that replaces the one of an ACTIVE or PAST_DUE subscription, from the same or another wallet, token or chain. An open invoice is charged under it.',
    },
  } as const,
});

const CreateSubscriptionCheckoutInput = builder.inputType('CreateSubscriptionCheckoutInput', {
  description: 'Input for creating the checkout session of a subscription.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    purpose: t.field({ type: SubscriptionCheckoutPurposeEnum, description: 'Defaults to START.' }),
    uiMode: t.field({ type: CheckoutUiModeEnum, description: 'Defaults to HOSTED.' }),
    successUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after signing.' }),
    cancelUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after cancelling.' }),
  }),
});

builder.mutationField('createSubscriptionCheckout', (t) =>
  t.field({
    type: CheckoutSessionRef,
    description:
      'Opens the session in which the payer of a PENDING subscription signs the consent and pays the first period. With a trial, nothing is paid yet. With the purpose RENEW_CONSENT, the payer of an ACTIVE or PAST_DUE subscription replaces the consent instead. Its client secret is returned only by this mutation.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: "The subscription's UUID." }),
      input: t.arg({
        type: CreateSubscriptionCheckoutInput,
        description: 'Optional. Defaults to HOSTED without addresses.',
      }),
    },
    resolve: async (_root, args, context) => {
      const { appId, purpose, ...given } = checked(context, rules, args.input ?? {});
      const scope = await scopeOf(context, { appId });
      const request = {
        scope,
        subscriptionId: args.id,
        options: given,
        idempotency: idempotencyOf(context, {
          scopeId: scope.appId ?? scope.merchantId,
          operation: 'createSubscriptionCheckout',
          parameters: { id: args.id, ...given, ...(purpose ? { purpose } : {}) },
        }),
      };
      const { session, clientSecret } =
        purpose === 'RENEW_CONSENT'
          ? await createConsentRenewal(context.world, request)
          : await createSubscriptionCheckout(context.world, request);
      return { ...session, clientSecret };
    },
  }),
);
