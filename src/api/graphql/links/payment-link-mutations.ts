/** The mutations of payment links. */
import { z } from 'zod';
import { createPaymentLink } from '../../../checkout/links/create-payment-link.ts';
import { deletePaymentLink } from '../../../checkout/links/delete-payment-link.ts';
import { createLinkSchema, updateLinkSchema } from '../../../checkout/links/payment-link.ts';
import { updatePaymentLink } from '../../../checkout/links/update-payment-link.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { givenSelectionFaults, requireSelection } from '../server/selection-rules.ts';
import { PaymentLinkRef } from './payment-link.ts';

const createRules = defineRules({
  schema: createLinkSchema.extend({ appId: z.string() }),
  also: givenSelectionFaults,
});
const CreatePaymentLinkInput = builder.inputType('CreatePaymentLinkInput', {
  description:
    "Input for creating a payment link. It has an amount, or a plan's price, or neither, in which case the payer chooses the amount.",
  extensions: carryRules(createRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', required: true, description: 'The owning app.' }),
    name: t.string({ required: true, description: '1 to 255 characters.' }),
    slug: t.string({ required: true, description: 'Lowercase letters, digits and hyphens, 1 to 100 characters.' }),
    amount: t.field({ type: 'Decimal', description: 'The fixed amount.' }),
    currency: t.string({ description: 'USD or EUR. Defaults to USD.' }),
    description: t.string({ description: 'At most 2000 characters.' }),
    productPlanId: t.field({ type: 'UUID', description: 'A plan of the app.' }),
    productPlanPriceId: t.field({ type: 'UUID', description: 'A price of that plan.' }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'Defaults to ALL.' }),
    allowedTokens: t.field({ type: 'TokenSelection', description: 'Defaults to ALL.' }),
    successUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after paying.' }),
    cancelUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after cancelling.' }),
    requireBillingDetails: t.boolean({ description: 'Whether the payer must enter billing details.' }),
    taxRateId: t.field({ type: 'UUID', description: 'A tax rate of the merchant.' }),
    minimumQuantity: t.int({ description: 'Minimum number of units in one checkout, 1 to 10000. Defaults to 1.' }),
    maximumQuantity: t.int({
      description:
        'Maximum number of units in one checkout, at least the minimum. Defaults to the minimum, or to 1 without one.',
    }),
    stock: t.int({
      description:
        'Total number of units that the link may sell, including those already sold: 0 to 1000000000. Unlimited by default.',
    }),
    couponId: t.field({ type: 'UUID', description: 'A coupon of the app that each checkout redeems.' }),
    allowCouponCodes: t.boolean({ description: 'Whether a payer may enter a coupon code. Defaults to false.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

const updateRules = defineRules({
  schema: updateLinkSchema.extend({ appId: z.string().optional() }),
  also: givenSelectionFaults,
});
const UpdatePaymentLinkInput = builder.inputType('UpdatePaymentLinkInput', {
  description: 'Changes to a payment link. An absent field is unchanged, and null clears a field.',
  extensions: carryRules(updateRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'The owning app, which cannot be changed.' }),
    name: t.string({ description: '1 to 255 characters.' }),
    slug: t.string({ description: 'Lowercase letters, digits and hyphens, 1 to 100 characters.' }),
    amount: t.field({ type: 'Decimal', description: 'The fixed amount.' }),
    currency: t.string({ description: 'USD or EUR.' }),
    description: t.string({ description: 'At most 2000 characters.' }),
    productPlanId: t.field({ type: 'UUID', description: 'A plan of the app.' }),
    productPlanPriceId: t.field({ type: 'UUID', description: 'A price of that plan.' }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'Null means ALL.' }),
    allowedTokens: t.field({ type: 'TokenSelection', description: 'Null means ALL.' }),
    successUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after paying.' }),
    cancelUrl: t.field({ type: 'URL', description: 'URL to which the payer is sent after cancelling.' }),
    requireBillingDetails: t.boolean({ description: 'Whether the payer must enter billing details.' }),
    taxRateId: t.field({ type: 'UUID', description: 'A tax rate of the merchant.' }),
    isActive: t.boolean({ description: 'Whether it accepts payments.' }),
    minimumQuantity: t.int({ description: 'Minimum number of units in one checkout: 1 to 10000. Null means 1.' }),
    maximumQuantity: t.int({
      description: 'Maximum number of units in one checkout: at least the minimum, at most 10000. Null means 1.',
    }),
    stock: t.int({
      description:
        'Total number of units that the link may sell, including those already sold: 0 to 1000000000. Null means unlimited.',
    }),
    couponId: t.field({
      type: 'UUID',
      description: 'A coupon of the app that each checkout redeems. Null removes it.',
    }),
    allowCouponCodes: t.boolean({ description: 'Whether a payer may enter a coupon code.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

builder.mutationField('createPaymentLink', (t) =>
  t.field({
    type: PaymentLinkRef,
    description: 'Creates a payment link. CONFLICT if the slug is taken.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreatePaymentLinkInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, createRules, args.input);
      const scope = await appScopeOf(context, { appId });
      await requireSelection(context, { appId: scope.appId, given: input });
      const call = { scopeId: scope.appId, operation: 'createPaymentLink', parameters: input };
      return createPaymentLink(context.world, {
        app: { id: scope.appId, merchantId: scope.merchantId },
        input,
        idempotency: idempotencyOf(context, call),
      });
    },
  }),
);

builder.mutationField('updatePaymentLink', (t) =>
  t.field({
    type: PaymentLinkRef,
    description: 'Changes a payment link. Existing sessions keep their terms.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: UpdatePaymentLinkInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, updateRules, args.input);
      return updatePaymentLink(context.world, { scope: await scopeOf(context, { appId }), id: args.id, input });
    },
  }),
);

builder.mutationField('deletePaymentLink', (t) =>
  t.field({
    type: 'UUID',
    description: 'Deletes a payment link permanently and returns its ID.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      await deletePaymentLink(context.world, { scope: await scopeOf(context), id });
      return id;
    },
  }),
);
