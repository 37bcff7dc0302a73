/** The TaxRate type, and its queries and mutations. */
import type { Prisma } from '../../../../prisma/client.ts';
import { createTaxRate } from '../../../catalog/create-tax-rate.ts';
import { createTaxRateSchema, updateTaxRateSchema } from '../../../catalog/tax-rate.ts';
import { updateTaxRate } from '../../../catalog/update-tax-rate.ts';
import { notFound } from '../../../errors.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { connectionOf } from '../server/lists/related-connection.ts';
import { scopeOf } from '../server/scope-of.ts';

/** Maximum number of rates in the list, which has no pages. */
const LISTED_LIMIT = 1000;

export const TaxRateRef = builder.prismaObject('TaxRate', {
  description: 'A reusable tax configuration of a merchant.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    merchantId: t.expose('merchantId', { type: 'UUID', description: 'The merchant that owns the app.' }),
    displayName: t.exposeString('displayName', { description: '1 to 100 characters.' }),
    percentage: t.float({
      description: '0 to 100, at most 4 decimals.',
      select: { percentage: true },
      resolve: (rate) => rate.percentage.toNumber(),
    }),
    inclusive: t.exposeBoolean('inclusive', { description: 'Whether prices include the tax.' }),
    jurisdiction: t.exposeString('jurisdiction', { nullable: true, description: 'At most 50 characters.' }),
    description: t.exposeString('description', { nullable: true, description: 'At most 500 characters.' }),
    isActive: t.exposeBoolean('isActive', { description: 'Whether it is active. False if it is archived.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

const createRules = defineRules({ schema: createTaxRateSchema.extend(appIdShape) });
const CreateTaxRateInput = builder.inputType('CreateTaxRateInput', {
  description: 'Input for creating a tax rate.',
  extensions: carryRules(createRules),
  fields: (t) => ({
    appId: t.field({
      type: 'UUID',
      description: `${OWN_APP} A tax rate belongs to the merchant, and does not store the app.`,
    }),
    displayName: t.string({ required: true, description: '1 to 100 characters.' }),
    percentage: t.float({ required: true, description: '0 to 100, at most 4 decimals.' }),
    inclusive: t.boolean({ description: 'Whether prices include the tax. Defaults to false.' }),
    jurisdiction: t.string({ description: 'At most 50 characters.' }),
    description: t.string({ description: 'At most 500 characters.' }),
  }),
});

const updateRules = defineRules({ schema: updateTaxRateSchema.extend(appIdShape) });
const UpdateTaxRateInput = builder.inputType('UpdateTaxRateInput', {
  description: 'Changes to a tax rate. An absent field is unchanged, and null clears a field.',
  extensions: carryRules(updateRules),
  fields: (t) => ({
    appId: t.field({
      type: 'UUID',
      description: `${OWN_APP} A tax rate belongs to the merchant, and does not store the app.`,
    }),
    displayName: t.string({ description: '1 to 100 characters.' }),
    percentage: t.float({ description: '0 to 100, at most 4 decimals.' }),
    inclusive: t.boolean({ description: 'Whether prices include the tax.' }),
    jurisdiction: t.string({ description: 'At most 50 characters.' }),
    description: t.string({ description: 'At most 500 characters.' }),
    isActive: t.boolean({ description: 'False archives it, and true restores it.' }),
  }),
});

function rateWhere({ includeInactive }: { includeInactive?: boolean | null | undefined }): Prisma.TaxRateWhereInput {
  return includeInactive ? {} : { isActive: true };
}

builder.queryField('taxRate', (t) =>
  t.prismaField({
    type: 'TaxRate',
    description: 'One tax rate. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const rate = await context.database.taxRate.findUnique({ ...query, where: { id } });
      if (!rate) throw notFound('tax rate');
      return rate;
    },
  }),
);

builder.queryField('taxRates', (t) =>
  t.prismaField({
    type: ['TaxRate'],
    description: "The merchant's tax rates, newest first, at most 1000.",
    authScopes: { read: true },
    args: { includeInactive: t.arg.boolean({ description: 'Whether to include archived ones.' }) },
    resolve: (query, _root, { includeInactive }, context) =>
      context.database.taxRate.findMany({
        ...query,
        where: rateWhere({ includeInactive }),
        orderBy: { id: 'desc' },
        take: LISTED_LIMIT,
      }),
  }),
);

builder.queryField('taxRatesConnection', (t) =>
  t.prismaConnection(
    {
      type: 'TaxRate',
      cursor: 'id',
      description: "The merchant's tax rates, newest first unless ordered otherwise; at most 100 at a time.",
      authScopes: { read: true },
      complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
      args: { ...orderArgs, includeInactive: t.arg.boolean({ description: 'Whether to include archived ones.' }) },
      totalCount: (_root, args, context) => context.database.taxRate.count({ where: rateWhere(args) }),
      resolve: (query, _root, args, context) =>
        context.database.taxRate.findMany(windowOf(query, args, rateWhere(args))),
    },
    connectionOf(TaxRateRef),
  ),
);

builder.mutationField('createTaxRate', (t) =>
  t.field({
    type: TaxRateRef,
    description: 'Creates a tax rate.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateTaxRateInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, createRules, args.input);
      const { merchantId } = await scopeOf(context, { appId });
      const call = { scopeId: merchantId, operation: 'createTaxRate', parameters: input };
      return createTaxRate(context.world, { merchantId, input, idempotency: idempotencyOf(context, call) });
    },
  }),
);

builder.mutationField('updateTaxRate', (t) =>
  t.field({
    type: TaxRateRef,
    description: 'Changes a tax rate. Existing amounts do not change.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: UpdateTaxRateInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, updateRules, args.input);
      const { merchantId } = await scopeOf(context, { appId });
      return updateTaxRate(context.world, { merchantId, id: args.id, input });
    },
  }),
);

builder.mutationField('archiveTaxRate', (t) =>
  t.field({
    type: TaxRateRef,
    description: 'Archives a tax rate. Objects that use it keep it; it cannot be used for new ones.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context) => {
      const { merchantId } = await scopeOf(context);
      return updateTaxRate(context.world, { merchantId, id, input: { isActive: false } });
    },
  }),
);
