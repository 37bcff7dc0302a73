/** The mutation createPaymentIntent. */
import { createPaymentIntent } from '../../../payments/create-payment-intent.ts';
import { newPaymentIntentSchema } from '../../../payments/new-payment-intent.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf } from '../server/scope-of.ts';
import { givenSelectionFaults } from '../server/selection-rules.ts';
import { newIntentAnswer } from './new-intent-answer.ts';
import { CaptureModeEnum, PaymentIntentRef } from './payment-intent.ts';

const rules = defineRules({ schema: newPaymentIntentSchema.extend(appIdShape), also: givenSelectionFaults });

export const CreatePaymentIntentInput = builder.inputType('CreatePaymentIntentInput', {
  description: 'Input for creating a payment intent.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: "The key's own app. AUTHORIZATION_ERROR for any other app." }),
    amount: t.field({ type: 'Decimal', required: true, description: 'Positive, at most 12 digits and 2 decimals.' }),
    currency: t.string({ description: 'USD or EUR. Defaults to USD.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'An existing customer of the app.' }),
    externalId: t.string({ description: 'Your own reference, 1 to 255 characters.' }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'Defaults to ALL.' }),
    allowedTokens: t.field({ type: 'TokenSelection', description: 'Defaults to ALL.' }),
    captureMode: t.field({ type: CaptureModeEnum, description: 'Defaults to the capture mode of the app.' }),
    successUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after paying.' }),
    cancelUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after cancelling.' }),
    idempotencyKey: t.string({
      description:
        'A key of 1 to 255 characters, permanently unique in the app. The header `Idempotency-Key` has the same effect.',
    }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

builder.mutationField('createPaymentIntent', (t) =>
  t.field({
    type: PaymentIntentRef,
    description: 'Creates a payment intent.',
    authScopes: { secretKey: true },
    args: { input: t.arg({ type: CreatePaymentIntentInput, required: true }) },
    resolve: async (_root, { input }, context, info) => {
      const { appId, ...fields } = checked(context, rules, input);
      const scope = await appScopeOf(context, { appId });
      const intent = await createPaymentIntent(context.world, {
        scope,
        fields,
        idempotency: idempotencyOf(context, {
          scopeId: scope.appId,
          operation: 'createPaymentIntent',
          parameters: { ...fields, idempotencyKey: undefined },
          bodyKey: fields.idempotencyKey,
        }),
      });
      return await newIntentAnswer(context, info, intent);
    },
  }),
);
