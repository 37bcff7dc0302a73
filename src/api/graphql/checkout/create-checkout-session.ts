/** The mutations createCheckoutSession and expireCheckoutSession. */
import { createCheckoutSessionSchema } from '../../../checkout/checkout-session.ts';
import { expireCheckoutSession } from '../../../checkout/expire-checkout-session.ts';
import { CaptureModeEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { givenSelectionFaults } from '../server/selection-rules.ts';
import { CheckoutSessionRef, CheckoutUiModeEnum } from './checkout-session.ts';
import { openSession } from './open-session.ts';

const CheckoutItemInput = builder.inputType('CheckoutItemInput', {
  description: 'A line item of a checkout session.',
  fields: (t) => ({
    name: t.string({ required: true, description: '1 to 255 characters.' }),
    amount: t.field({
      type: 'Decimal',
      description: 'Price of one unit. Required unless `productPlanPriceId` is given.',
    }),
    currency: t.string({ description: 'USD or EUR; the same for all lines. Defaults to USD.' }),
    quantity: t.int({ description: '1 to 1000000. Defaults to 1.' }),
    description: t.string({ description: 'At most 2000 characters.' }),
    productPlanId: t.field({ type: 'UUID', description: 'A plan of the app, whose tax rate applies to the line.' }),
    productPlanPriceId: t.field({ type: 'UUID', description: 'A price of that plan, which determines the amount.' }),
  }),
});

const rules = defineRules({ schema: createCheckoutSessionSchema, also: givenSelectionFaults });

export const CreateCheckoutSessionInput = builder.inputType('CreateCheckoutSessionInput', {
  description:
    'Input for creating a checkout session. Exactly one of `items`, `paymentIntentId`, `invoiceId`, `subscriptionId` and `paymentLinkId` is required.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'The app. Required if the credential covers several apps.' }),
    items: t.field({
      type: [CheckoutItemInput],
      description: '1 to 100 line items. A payment intent for their total is created with the session.',
    }),
    paymentIntentId: t.field({ type: 'UUID', description: 'A payment intent of the app with the status CREATED.' }),
    invoiceId: t.field({ type: 'UUID', description: 'An open invoice of the app.' }),
    subscriptionId: t.field({ type: 'UUID', description: 'A subscription of the app with the status PENDING.' }),
    paymentLinkId: t.field({ type: 'UUID', description: 'An active link of the app.' }),
    quantity: t.int({
      description:
        'Number of units to buy, between the minimum and the maximum of the link. Defaults to the minimum. Allowed only with `paymentLinkId`.',
    }),
    couponId: t.field({
      type: 'UUID',
      description: 'A coupon of the app. Allowed only with `items` or `paymentLinkId`.',
    }),
    couponCode: t.string({ description: 'The code of a coupon of the app, instead of its ID.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'A customer of the app.' }),
    uiMode: t.field({ type: CheckoutUiModeEnum, description: 'Defaults to HOSTED.' }),
    successUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after paying.' }),
    cancelUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after cancelling.' }),
    expiresInMinutes: t.int({ description: 'Minutes until the session expires, 1 to 1440. Defaults to 60.' }),
    captureMode: t.field({ type: CaptureModeEnum, description: 'Defaults to the capture mode of the app.' }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'Defaults to ALL.' }),
    allowedTokens: t.field({ type: 'TokenSelection', description: 'Defaults to ALL.' }),
    taxRateId: t.field({
      type: 'UUID',
      description: 'A tax rate of the merchant, which replaces the tax rates of the plans.',
    }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

builder.mutationField('createCheckoutSession', (t) =>
  t.field({
    type: CheckoutSessionRef,
    description:
      'Opens a checkout session. Its client secret is returned only by this mutation. CONFLICT if the coupon or the stock of the link is exhausted.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateCheckoutSessionInput, required: true }) },
    resolve: async (_root, args, context) => {
      const input = checked(context, rules, args.input);
      const scope = await appScopeOf(context, input);
      const idempotency = idempotencyOf(context, {
        scopeId: scope.appId,
        operation: 'createCheckoutSession',
        parameters: input,
      });
      const { session, clientSecret } = await openSession(context.world, { scope, input, idempotency });
      return { ...session, clientSecret };
    },
  }),
);

builder.mutationField('expireCheckoutSession', (t) =>
  t.field({
    type: CheckoutSessionRef,
    description: 'Ends an OPEN session, and cancels the payment intent that was created with it.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      const scope = await scopeOf(context);
      return await expireCheckoutSession(context.world, {
        scope,
        sessionId: id,
        idempotency: idempotencyOf(context, {
          scopeId: scope.appId ?? scope.merchantId,
          operation: 'expireCheckoutSession',
          parameters: { id },
        }),
      });
    },
  }),
);
