/** The queries productPlan, productPlans and productPlansPage. */
import type { PlanType, Prisma, ProductPlan } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import { builder } from '../server/builder.ts';
import { conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';
import { PlanTypeEnum } from './product-plan.ts';

type PlanQuery = { include?: Prisma.ProductPlanInclude; select?: Prisma.ProductPlanSelect };

const ProductPlanPage = builder.objectRef<Page<PlanQuery, ProductPlan>>('ProductPlanPage').implement({
  description: 'A page of product plans, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['ProductPlan'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

type Conditions = { planType?: PlanType | null | undefined; isActive?: boolean | null | undefined };

function planWhere(scope: Scope, { planType, isActive }: Conditions): Prisma.ProductPlanWhereInput {
  return {
    ...appScope(scope),
    ...(planType ? { planType } : {}),
    ...(isActive === null || isActive === undefined ? {} : { isActive }),
  };
}

builder.queryField('productPlan', (t) =>
  t.prismaField({
    type: 'ProductPlan',
    description: 'One product plan. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const plan = await context.database.productPlan.findUnique({ ...query, where: { id } });
      if (!plan) throw notFound('product plan');
      return plan;
    },
  }),
);

const ProductPlanFilter = builder.inputType('ProductPlanFilter', {
  description: 'Conditions on product plans. Plans must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    planType: t.field({ type: PlanTypeEnum, description: 'Only plans of this type.' }),
    isActive: t.boolean({ description: 'If true, only active ones; if false, only archived ones.' }),
  }),
});

builder.queryField('productPlans', (t) =>
  t.prismaConnection({
    type: 'ProductPlan',
    cursor: 'id',
    description: 'Product plans, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({ type: ProductPlanFilter, description: 'Returns only rows that match every given condition.' }),
      appId: t.arg.id({ description: 'Only this app.' }),
      planType: t.arg({ type: PlanTypeEnum, description: 'Only plans of this type.' }),
      isActive: t.arg.boolean({ description: 'If true, only active ones; if false, only archived ones.' }),
    },
    totalCount: async (_root, args, context) =>
      context.database.productPlan.count({ where: await conditionsOf(context, args, planWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, planWhere);
      return context.database.productPlan.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('productPlansPage', (t) =>
  t.field({
    type: ProductPlanPage,
    description: 'A numbered page of product plans, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      planType: t.arg({ type: PlanTypeEnum, description: 'Only plans of this type.' }),
    },
    resolve: async (_root, args, context) => {
      const where = planWhere(await scopeOf(context, args), { planType: args.planType });
      return pageOf(args, {
        items: (query: PlanQuery, window) =>
          context.database.productPlan.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.productPlan.count({ where }),
      });
    },
  }),
);
