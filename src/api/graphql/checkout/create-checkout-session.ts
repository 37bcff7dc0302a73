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
  description: 'A line of a session.',
  fields: (t) => ({
    name: t.string({ required: true, description: '1 to 255 characters.' }),
    amount: t.field({ type: 'Decimal', description: 'Of one unit; required without productPlanPriceId.' }),
    currency: t.string({ description: 'USD (the default) or EUR; the same for all lines.' }),
    quantity: t.int({ description: '1 (the default) to 1000000.' }),
    description: t.string({ description: 'At most 2000 characters.' }),
    productPlanId: t.field({ type: 'UUID', description: 'A plan of the app, whose tax rate it has.' }),
    productPlanPriceId: t.field({ type: 'UUID', description: 'A price of that plan, which says the amount.' }),
  }),
});

const rules = defineRules({ schema: createCheckoutSessionSchema, also: givenSelectionFaults });

export const CreateCheckoutSessionInput = builder.inputType('CreateCheckoutSessionInput', {
  description: 'A session for exactly one of items, paymentIntentId, invoiceId, subscriptionId and paymentLinkId.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'The app. Required if the credential covers several apps.' }),
    items: t.field({ type: [CheckoutItemInput], description: '1 to 100 lines; an intent over their total is made.' }),
    paymentIntentId: t.field({ type: 'UUID', description: 'A CREATED intent of the app.' }),
    invoiceId: t.field({ type: 'UUID', description: 'An open invoice of the app.' }),
    subscriptionId: t.field({ type: 'UUID', description: 'A PENDING subscription of the app.' }),
    paymentLinkId: t.field({ type: 'UUID', description: 'An active link of the app.' }),
    quantity: t.int({
      description:
        'Units to buy, between the minimum and the maximum of the link; the minimum by default. Only with paymentLinkId.',
    }),
    couponId: t.field({ type: 'UUID', description: 'A coupon of the app. Only with items or paymentLinkId.' }),
    couponCode: t.string({ description: 'The code of a coupon of the app, instead of its id.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'A customer of the app.' }),
    uiMode: t.field({ type: CheckoutUiModeEnum, description: 'HOSTED by default.' }),
    successUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after paying.' }),
    cancelUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after cancelling.' }),
    expiresInMinutes: t.int({ description: '1 to 1440; 60 by default.' }),
    captureMode: t.field({ type: CaptureModeEnum, description: "The app's own by default." }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'ALL by default.' }),
    allowedTokens: t.field({ type: 'TokenSelection', description: 'ALL by default.' }),
    taxRateId: t.field({ type: 'UUID', description: "A tax rate of the merchant, instead of the plans'." }),
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
    description: 'Ends an OPEN session, and cancels an intent that was made with it.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'Its UUID.' }) },
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
