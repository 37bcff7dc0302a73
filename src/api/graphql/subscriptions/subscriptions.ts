/** The queries subscription, subscriptions and subscriptionsPage. */
import type { Prisma, Subscription, SubscriptionStatus } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import { InvoiceConnection } from '../invoices/invoice.ts';
import { builder } from '../server/builder.ts';
import { anyOf, conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { byId } from '../server/lists/keyset.ts';
import { relatedConnection } from '../server/lists/related-connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';
import { SubscriptionRef, SubscriptionStatusEnum } from './subscription.ts';

relatedConnection(SubscriptionRef, 'invoicesConnection', {
  model: 'Subscription',
  relation: 'invoices',
  type: InvoiceConnection,
  selects: 'Invoice',
  keyset: byId('NEWEST'),
  description: 'All its invoices, newest first.',
  authScopes: { read: true },
});

type SubscriptionQuery = { include?: Prisma.SubscriptionInclude; select?: Prisma.SubscriptionSelect };

const SubscriptionPage = builder.objectRef<Page<SubscriptionQuery, Subscription>>('SubscriptionPage').implement({
  description: 'A page of subscriptions, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['Subscription'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

type Conditions = {
  status?: SubscriptionStatus | SubscriptionStatus[] | null | undefined;
  customerAccountId?: string | null | undefined;
  renewalFailed?: boolean | null | undefined;
};

/** Its charge failed and is tried again, or all attempts failed. */
export const failedRenewal = {
  captureRetryCount: { gt: 0 },
  status: { in: ['ACTIVE', 'PAST_DUE'] },
} satisfies Prisma.SubscriptionWhereInput;

function subscriptionWhere(scope: Scope, conditions: Conditions): Prisma.SubscriptionWhereInput {
  return {
    ...appScope(scope),
    ...anyOf(conditions.status),
    ...(conditions.customerAccountId ? { customerAccountId: conditions.customerAccountId } : {}),
    ...(conditions.renewalFailed ? { AND: [failedRenewal] } : {}),
  };
}

builder.queryField('subscription', (t) =>
  t.prismaField({
    type: 'Subscription',
    description: 'One subscription. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const subscription = await context.database.subscription.findUnique({ ...query, where: { id } });
      if (!subscription) throw notFound('subscription');
      return subscription;
    },
  }),
);

const SubscriptionFilter = builder.inputType('SubscriptionFilter', {
  description: 'Conditions on subscriptions. Subscriptions must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    status: t.field({ type: [SubscriptionStatusEnum], description: 'Only these statuses.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'Only subscriptions of this customer.' }),
    renewalFailed: t.boolean({
      description: 'If true, only subscriptions whose current charge has failed at least once and is not paid yet.',
    }),
  }),
});

builder.queryField('subscriptions', (t) =>
  t.prismaConnection({
    type: 'Subscription',
    cursor: 'id',
    description: 'Subscriptions, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({ type: SubscriptionFilter, description: 'Returns only rows that match every given condition.' }),
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: SubscriptionStatusEnum, description: 'Only this status.' }),
      customerAccountId: t.arg.id({ description: 'Only this customer.' }),
    },
    totalCount: async (_root, args, context) =>
      context.database.subscription.count({ where: await conditionsOf(context, args, subscriptionWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, subscriptionWhere);
      return context.database.subscription.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('subscriptionsPage', (t) =>
  t.field({
    type: SubscriptionPage,
    description: 'A numbered page of subscriptions, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: SubscriptionStatusEnum, description: 'Only this status.' }),
    },
    resolve: async (_root, args, context) => {
      const where = subscriptionWhere(await scopeOf(context, args), { status: args.status });
      return pageOf(args, {
        items: (query: SubscriptionQuery, window) =>
          context.database.subscription.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.subscription.count({ where }),
      });
    },
  }),
);
