/** The mutations of invoices. */
import { z } from 'zod';
import { createInvoice } from '../../../invoices/create-invoice.ts';
import { createInvoiceSchema } from '../../../invoices/invoice.ts';
import { openInvoice } from '../../../invoices/open-invoice.ts';
import { sendInvoice } from '../../../invoices/send-invoice.ts';
import { voidInvoice } from '../../../invoices/void-invoice.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { givenSelectionFaults, requireSelection } from '../server/selection-rules.ts';
import { InvoiceRef } from './invoice.ts';

const rules = defineRules({
  schema: createInvoiceSchema.and(z.object({ appId: z.string().nullish() })),
  also: givenSelectionFaults,
});

const InvoiceItemInput = builder.inputType('InvoiceItemInput', {
  description: 'A line of an invoice.',
  fields: (t) => ({
    description: t.string({ required: true, description: '1 to 500 characters.' }),
    amount: t.field({
      type: 'Decimal',
      required: true,
      description: 'Price of one unit: positive, at most 2 decimals.',
    }),
    quantity: t.int({ description: 'Defaults to 1.' }),
    productPlanId: t.field({
      type: 'UUID',
      description: 'A plan of the app. Its tax rate applies if neither the line nor the invoice has one.',
    }),
    productPlanPriceId: t.field({ type: 'UUID', description: 'A price of that plan.' }),
    taxRateId: t.field({
      type: 'UUID',
      description: "A tax rate of the merchant. It takes precedence over the invoice's.",
    }),
  }),
});

const CreateInvoiceInput = builder.inputType('CreateInvoiceInput', {
  description: 'Input for drafting an invoice.',
  extensions: carryRules(rules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Required if the credential covers several apps.' }),
    customerAccountId: t.field({ type: 'UUID', required: true, description: 'A customer of the app.' }),
    items: t.field({ type: [InvoiceItemInput], required: true, description: '1 to 100 lines.' }),
    currency: t.string({ description: 'USD or EUR. Defaults to USD.' }),
    dueDate: t.field({ type: 'DateTime', description: 'Due date.' }),
    periodStart: t.field({ type: 'DateTime', description: 'Start of the invoiced period.' }),
    periodEnd: t.field({ type: 'DateTime', description: 'End of the invoiced period, not before its start.' }),
    allowedChains: t.field({ type: 'ChainSelection', description: 'Defaults to ALL.' }),
    allowedTokens: t.field({ type: 'TokenSelection', description: 'Defaults to ALL.' }),
    taxRateId: t.field({ type: 'UUID', description: 'A tax rate of the merchant.' }),
    memo: t.string({ description: 'At most 2000 characters.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

builder.mutationField('createInvoice', (t) =>
  t.field({
    type: InvoiceRef,
    description: 'Drafts an invoice.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateInvoiceInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, rules, args.input);
      const scope = await appScopeOf(context, { appId });
      await requireSelection(context, { appId: scope.appId, given: input });
      const call = { scopeId: scope.appId, operation: 'createInvoice', parameters: input };
      return createInvoice(context.world, {
        app: { id: scope.appId, merchantId: scope.merchantId },
        input,
        idempotency: idempotencyOf(context, call),
      });
    },
  }),
);

builder.mutationField('openInvoice', (t) =>
  t.field({
    type: InvoiceRef,
    description: "Opens a draft, which receives the app's next invoice number. INVALID_STATE unless it is a DRAFT.",
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      const scope = await scopeOf(context);
      const call = { scopeId: scope.appId ?? scope.merchantId, operation: 'openInvoice', parameters: { id } };
      return openInvoice(context.world, { scope, id, idempotency: idempotencyOf(context, call) });
    },
  }),
);

builder.mutationField('voidInvoice', (t) =>
  t.field({
    type: InvoiceRef,
    description: 'Voids an invoice that is not paid. INVALID_STATE if it is paid.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      const scope = await scopeOf(context);
      const call = { scopeId: scope.appId ?? scope.merchantId, operation: 'voidInvoice', parameters: { id } };
      return voidInvoice(context.world, { scope, id, idempotency: idempotencyOf(context, call) });
    },
  }),
);

builder.mutationField('sendInvoice', (t) =>
  t.field({
    type: InvoiceRef,
    description:
      'Emails an open invoice to its customer, with a link to pay it. INVALID_STATE if the customer has no email address.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      const scope = await scopeOf(context);
      const call = { scopeId: scope.appId ?? scope.merchantId, operation: 'sendInvoice', parameters: { id } };
      return sendInvoice(context.world, { scope, id, idempotency: idempotencyOf(context, call) });
    },
  }),
);
