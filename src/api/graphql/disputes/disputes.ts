/**
 * The queries dispute, disputes and disputesPage. Merchants read their own disputes, payers the dispute of their payment, and
 * arbiters all disputes.
 */
import type { Dispute, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import { DisputeStatusEnum } from '../payments/dispute.ts';
import { builder } from '../server/builder.ts';
import { anyOf, conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import type { GraphqlContext } from '../server/context.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';

type DisputeQuery = { include?: Prisma.DisputeInclude; select?: Prisma.DisputeSelect };

const DisputePage = builder.objectRef<Page<DisputeQuery, Dispute>>('DisputePage').implement({
  description: 'A page of disputes.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['Dispute'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

const DisputeOrder = builder.enumType('DisputeOrder', {
  description: 'Sort orders of a page of disputes.',
  values: {
    NEWEST: { value: 'NEWEST', description: 'Newest first.' },
    DEADLINE: { value: 'DEADLINE', description: 'Earliest deadline first.' },
  } as const,
});

const orders = {
  NEWEST: [{ id: 'desc' }],
  DEADLINE: [{ deadline: 'asc' }, { id: 'asc' }],
} as const satisfies Record<typeof DisputeOrder.$inferType, Prisma.DisputeOrderByWithRelationInput[]>;

type Conditions = { status?: Dispute['status'] | readonly Dispute['status'][] | null | undefined };

function disputeWhere(scope: Scope, { status }: Conditions): Prisma.DisputeWhereInput {
  return { paymentIntent: appScope(scope), ...anyOf(status) };
}

/** An arbiter has no merchant scope and may select any app; the database limits it to disputes. */
async function pageWhere(
  context: GraphqlContext,
  { appId, status }: Conditions & { appId?: string | null | undefined },
): Promise<Prisma.DisputeWhereInput> {
  if (context.principal.kind !== 'platform') return disputeWhere(await scopeOf(context, { appId }), { status });
  return { ...anyOf(status), ...(appId ? { paymentIntent: { appId } } : {}) };
}

builder.queryField('dispute', (t) =>
  t.prismaField({
    type: 'Dispute',
    description:
      "One dispute, with the evidence of both sides. NOT_FOUND if it does not belong to the caller. A client secret reads the dispute of its session's payment, a wallet reads those of its own payments, and an arbiter reads any dispute.",
    authScopes: { read: true, session: true, payer: true, arbiter: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const dispute = await context.database.dispute.findUnique({ ...query, where: { id } });
      if (!dispute) throw notFound('dispute');
      return dispute;
    },
  }),
);

const DisputeFilter = builder.inputType('DisputeFilter', {
  description: 'Conditions on disputes. Disputes must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    status: t.field({ type: [DisputeStatusEnum], description: 'Only these statuses.' }),
  }),
});

builder.queryField('disputes', (t) =>
  t.prismaConnection({
    type: 'Dispute',
    cursor: 'id',
    description: 'Disputes, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({ type: DisputeFilter, description: 'Returns only rows that match every given condition.' }),
    },
    totalCount: async (_root, args, context) =>
      context.database.dispute.count({ where: await conditionsOf(context, args, disputeWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, disputeWhere);
      return context.database.dispute.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('disputesPage', (t) =>
  t.field({
    type: DisputePage,
    description:
      'A numbered page of disputes, newest first unless ordered otherwise. Without `appId`, it covers all apps of the caller or, for an arbiter, of all merchants.',
    authScopes: { read: true, arbiter: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: DisputeStatusEnum, description: 'Only this status.' }),
      orderBy: t.arg({ type: DisputeOrder, required: true, defaultValue: 'NEWEST', description: 'Sort order.' }),
    },
    resolve: async (_root, args, context) => {
      const where = await pageWhere(context, args);
      return pageOf(args, {
        items: (query: DisputeQuery, window) =>
          context.database.dispute.findMany({ ...query, ...window, where, orderBy: [...orders[args.orderBy]] }),
        total: () => context.database.dispute.count({ where }),
      });
    },
  }),
);
