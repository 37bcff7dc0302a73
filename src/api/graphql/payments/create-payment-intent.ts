/** The mutation createPaymentIntent. */
import { readSelection, selectionFaults } from '../../../chains/chain-selection.ts';
import { createPaymentIntent } from '../../../payments/create-payment-intent.ts';
import { newPaymentIntentSchema } from '../../../payments/new-payment-intent.ts';
import { idempotencyRequest } from '../../../platform/idempotency-request.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf } from '../server/scope-of.ts';
import { CaptureModeEnum, PaymentIntentRef } from './payment-intent.ts';

const rules = defineRules({
  schema: newPaymentIntentSchema,
  also: (input, { world, principal }) =>
    principal.kind === 'apiKey'
      ? selectionFaults(world, { mode: principal.mode, selection: givenSelection(input) })
      : [],
});

/** The selection of a raw or a coerced input; what is absent or of a wrong form selects ALL. */
function givenSelection(input: unknown) {
  const given: { allowedChains?: unknown; allowedTokens?: unknown } =
    typeof input === 'object' && input !== null ? input : {};
  return readSelection({
    allowedChains: Array.isArray(given.allowedChains) ? given.allowedChains : 'ALL',
    allowedTokens: Array.isArray(given.allowedTokens) ? given.allowedTokens : 'ALL',
  });
}

export const CreatePaymentIntentInput = builder.inputType('CreatePaymentIntentInput', {
  description: 'A payment to be made.',
  extensions: carryRules(rules),
  fields: (t) => ({
    amount: t.field({ type: 'Decimal', required: true, description: 'Positive, at most 12 digits and 2 decimals.' }),
    currency: t.string({ description: 'USD (the default) or EUR.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'An existing customer of the app.' }),
    externalId: t.string({ description: 'Your own reference, 1 to 255 characters.' }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'ALL by default.' }),
    allowedTokens: t.field({ type: 'TokenSelection', description: 'ALL by default.' }),
    captureMode: t.field({ type: CaptureModeEnum, description: "The app's own by default." }),
    successUrl: t.field({ type: 'URL', description: 'Where the payer goes after paying.' }),
    cancelUrl: t.field({ type: 'URL', description: 'Where the payer goes after cancelling.' }),
    idempotencyKey: t.string({
      description: 'Unique in the app for ever, 1 to 255 characters; the header Idempotency-Key does the same.',
    }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

builder.mutationField('createPaymentIntent', (t) =>
  t.field({
    type: PaymentIntentRef,
    description: 'Makes a payment intent. Secret API key only.',
    authScopes: { secretKey: true },
    args: { input: t.arg({ type: CreatePaymentIntentInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const fields = checked(context, rules, input);
      const scope = await appScopeOf(context);
      return createPaymentIntent(context.world, {
        scope,
        fields,
        idempotency: idempotencyRequest({
          scopeId: scope.appId,
          operation: 'createPaymentIntent',
          parameters: { ...fields, idempotencyKey: undefined },
          bodyKey: fields.idempotencyKey,
          headerKey: context.idempotencyKey,
          onReplay: () => {
            context.answer.replayed = true;
          },
        }),
      });
    },
  }),
);
