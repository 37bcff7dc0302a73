/** The queries paymentIntent, paymentIntents and paymentIntentsPage. */
import type { PaymentIntent, PaymentIntentStatus } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import { countPaymentIntents, listPaymentIntents, readPaymentIntents } from '../../../payments/read-payment-intents.ts';
import { flagWhere, type PaymentFlag } from '../../../payments/search/payment-flag.ts';
import { canonicalId, isId } from '../../../platform/identifier.ts';
import { batchedAcrossRequests } from '../server/batch.ts';
import { builder } from '../server/builder.ts';
import { connectionSize } from '../server/connection.ts';
import type { GraphqlContext } from '../server/context.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';
import { PaymentIntentFlagEnum } from './payment-flag.ts';
import { PaymentIntentConnection, PaymentIntentRef, PaymentIntentStatusEnum } from './payment-intent.ts';
import {
  PaymentIntentFilter,
  PaymentIntentOrder,
  paymentIntentWhere,
  paymentIntentWindow,
  statusesAlone,
} from './payment-intent-filter.ts';
import { plannedQuery } from './selections/planned-query.ts';
import { selectedColumns } from './selections/selected-columns.ts';
import { merchantScope, type PaymentIntentQuery, writtenRelations } from './selections/written-intents.ts';

const PaymentIntentPage = builder.objectRef<Page<PaymentIntentQuery, PaymentIntent>>('PaymentIntentPage').implement({
  description: 'A page of payment intents, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['PaymentIntent'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

builder.queryField('paymentIntent', (t) =>
  t.field({
    type: PaymentIntentRef,
    description: 'One payment intent. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (_root, { id }, context, info) => {
      const selection = selectedColumns(info);
      const intent = selection
        ? await findIntent(context, { id, query: {}, columns: selection.columns })
        : await findIntent(context, { id, query: plannedQuery(context, info), columns: null });
      if (!intent) throw notFound('payment intent');
      return intent;
    },
  }),
);

builder.queryField('paymentIntents', (t) =>
  t.prismaConnection(
    {
      type: 'PaymentIntent',
      cursor: 'id',
      description: 'Payment intents, newest first unless ordered otherwise; at most 100 at a time.',
      authScopes: { read: true },
      complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
      args: {
        filter: t.arg({
          type: PaymentIntentFilter,
          description: 'Returns only rows that match every given condition.',
        }),
        orderBy: t.arg({
          type: PaymentIntentOrder,
          defaultValue: 'NEWEST',
          required: true,
          description: 'Sort order.',
        }),
      },
      totalCount: async (_root, { filter }, context) => {
        const scope = await scopeOf(context, { appId: filter?.appId });
        const statuses = statusesAlone(filter);
        if (statuses) return await countPaymentIntents(context.world.database, { scope, statuses });
        return context.database.paymentIntent.count({ where: await paymentIntentWhere(context, scope, filter) });
      },
      resolve: async (query, _root, args, context) => {
        const scope = await scopeOf(context, { appId: args.filter?.appId });
        const where = await paymentIntentWhere(context, scope, args.filter);
        return context.database.paymentIntent.findMany(await paymentIntentWindow(context, { query, args, where }));
      },
    },
    PaymentIntentConnection,
  ),
);

builder.queryField('paymentIntentsPage', (t) =>
  t.field({
    type: PaymentIntentPage,
    description: 'A numbered page of payment intents, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: PaymentIntentStatusEnum, description: 'Only this status.' }),
      flag: t.arg({ type: PaymentIntentFlagEnum, description: 'Only payment intents with this flag.' }),
    },
    resolve: async (_root, args, context) => {
      const scope = await scopeOf(context, args);
      const status = args.status ?? null;
      if (args.flag) return flaggedPage(context, { ...args, scope, status, flag: args.flag });
      return pageOf(args, {
        items: (query: PaymentIntentQuery, window) => listIntents(context, { scope, status, query, ...window }),
        total: () => countPaymentIntents(context.world.database, { scope, statuses: status ? [status] : [] }),
      });
    },
  }),
);

function flaggedPage(
  { database }: GraphqlContext,
  request: { scope: Scope; status: PaymentIntentStatus | null; flag: PaymentFlag; page: number; pageSize: number },
): Page<PaymentIntentQuery, PaymentIntent> {
  const { scope, status, flag } = request;
  const where = { ...appScope(scope), ...(status ? { status } : {}), AND: [flagWhere([flag])] };
  return pageOf(request, {
    items: (query: PaymentIntentQuery, window) =>
      database.paymentIntent.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
    total: () => database.paymentIntent.count({ where }),
  });
}

type Finding = { id: string; query: PaymentIntentQuery; columns: ReadonlySet<string> | null };

/** If `columns` is not null, other columns than these may be missing. */
async function findIntent(context: GraphqlContext, { id, query, columns }: Finding): Promise<PaymentIntent | null> {
  const [scope, relations] = [merchantScope(context), writtenRelations(query)];
  if (!scope || !relations) return context.database.paymentIntent.findUnique({ ...query, where: { id } });
  if (!isId(id)) return null;
  // Intents that several fields or several requests of the same scope need are read together.
  const { merchantId, appId } = scope;
  const name = `intents:${merchantId}:${appId}:${[...relations].sort().join()}:${columns ? [...columns].join() : 'all'}`;
  const read = (ids: string[]) => readPaymentIntents(context.world.database, { scope, ids, relations, columns });
  return (await batchedAcrossRequests(context, name, canonicalId(id), read)) ?? null;
}

type Listing = {
  scope: Scope;
  status: PaymentIntentStatus | null;
  query: PaymentIntentQuery;
  skip: number;
  take: number;
};

async function listIntents(
  context: GraphqlContext,
  { scope, status, query, skip, take }: Listing,
): Promise<PaymentIntent[]> {
  const relations = writtenRelations(query);
  if (relations) return await listPaymentIntents(context.world.database, { scope, status, skip, take, relations });
  const where = { ...appScope(scope), ...(status ? { status } : {}) };
  return context.database.paymentIntent.findMany({ ...query, skip, take, where, orderBy: { id: 'desc' } });
}
