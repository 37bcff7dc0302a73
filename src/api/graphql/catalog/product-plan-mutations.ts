/** The mutations of plans and prices. */
import { createProductPlan } from '../../../catalog/create-product-plan.ts';
import { createProductPlanPrice } from '../../../catalog/create-product-plan-price.ts';
import { deleteProductPlanPrice } from '../../../catalog/delete-product-plan-price.ts';
import { updateProductPlan } from '../../../catalog/update-product-plan.ts';
import { updateProductPlanPrice } from '../../../catalog/update-product-plan-price.ts';
import { invalid, notFound } from '../../../errors.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { checked } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { ProductPlanPriceRef, ProductPlanRef } from './product-plan.ts';
import {
  CreatePlanInput,
  CreatePriceInput,
  createPlanRules,
  createPriceRules,
  UpdatePlanInput,
  UpdatePriceInput,
  updatePlanRules,
  updatePriceRules,
} from './product-plan-inputs.ts';

builder.mutationField('createProductPlan', (t) =>
  t.field({
    type: ProductPlanRef,
    description: 'Creates a plan with its prices.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreatePlanInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, createPlanRules, args.input);
      const scope = await appScopeOf(context, { appId });
      const app = await context.database.app.findUniqueOrThrow({ where: { id: scope.appId } });
      const call = { scopeId: app.id, operation: 'createProductPlan', parameters: input };
      return createProductPlan(context.world, { app, input, idempotency: idempotencyOf(context, call) });
    },
  }),
);

builder.mutationField('updateProductPlan', (t) =>
  t.field({
    type: ProductPlanRef,
    description: 'Changes a plan. Existing subscriptions keep their terms.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: UpdatePlanInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, updatePlanRules, args.input);
      return updateProductPlan(context.world, { scope: await scopeOf(context, { appId }), id: args.id, input });
    },
  }),
);

builder.mutationField('createProductPlanPrice', (t) =>
  t.field({
    type: ProductPlanPriceRef,
    description: 'Adds a price to a plan.',
    authScopes: { write: true },
    args: {
      productPlanId: t.arg.id({ required: true, description: "The plan's UUID." }),
      input: t.arg({ type: CreatePriceInput, required: true }),
    },
    resolve: async (_root, { productPlanId: planId, input: given }, context) => {
      const input = checked(context, createPriceRules, given);
      const scope = await scopeOf(context);
      return createProductPlanPrice(context.world, {
        scope,
        planId,
        input,
        idempotency: idempotencyOf(context, {
          scopeId: scope.appId ?? scope.merchantId,
          operation: 'createProductPlanPrice',
          parameters: { planId, ...input },
        }),
      });
    },
  }),
);

/** A price is named by its id, like every other object, or also by the id of its plan, as in the paths of REST. */
const priceNames = builder.args((t) => ({
  id: t.id({ description: 'UUID of the object.' }),
  productPlanId: t.id({ description: "The plan's UUID. If it is given, the price must belong to that plan." }),
  priceId: t.id({ description: "The price's UUID. An alias of `id`, which REST uses." }),
}));

type PriceNames = { [Name in 'id' | 'productPlanId' | 'priceId']?: string | null | undefined };

async function priceNamed(context: GraphqlContext, names: PriceNames): Promise<{ planId: string; priceId: string }> {
  const priceId = names.id ?? names.priceId;
  if (priceId == null) throw invalid([{ param: 'id', message: 'is required' }]);
  if (names.id != null && names.priceId != null && names.id !== names.priceId)
    throw invalid([{ param: 'priceId', message: 'differs from id' }]);
  if (names.productPlanId != null) return { planId: names.productPlanId, priceId };
  const price = await context.database.productPlanPrice.findUnique({ where: { id: priceId } });
  if (!price) throw notFound('price');
  return { planId: price.productPlanId, priceId };
}

builder.mutationField('updateProductPlanPrice', (t) =>
  t.field({
    type: ProductPlanPriceRef,
    description: 'Changes a price.',
    authScopes: { write: true },
    args: {
      ...priceNames,
      input: t.arg({ type: UpdatePriceInput, required: true }),
    },
    resolve: async (_root, { input: given, ...names }, context) => {
      const { appId, ...input } = checked(context, updatePriceRules, given);
      const scope = await scopeOf(context, { appId });
      const price = await priceNamed(context, names);
      return updateProductPlanPrice(context.world, { scope, ...price, input });
    },
  }),
);

builder.mutationField('deleteProductPlanPrice', (t) =>
  t.field({
    type: 'UUID',
    description: 'Deletes a price, or archives it if it is in use. Returns its ID.',
    authScopes: { write: true },
    args: {
      ...priceNames,
    },
    resolve: async (_root, names, context) => {
      const price = await priceNamed(context, names);
      await deleteProductPlanPrice(context.world, { scope: await scopeOf(context), ...price });
      return price.priceId;
    },
  }),
);
