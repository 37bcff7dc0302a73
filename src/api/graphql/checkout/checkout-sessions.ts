/** The queries checkoutSession, checkoutSessions and checkoutSessionsPage. */
import type { CheckoutSession, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import { builder } from '../server/builder.ts';
import { anyOf, conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';
import { CheckoutSessionStatusEnum } from './checkout-session.ts';
import { sessionScope } from './session-access.ts';

type SessionQuery = { include?: Prisma.CheckoutSessionInclude; select?: Prisma.CheckoutSessionSelect };

const CheckoutSessionPage = builder.objectRef<Page<SessionQuery, CheckoutSession>>('CheckoutSessionPage').implement({
  description: 'A page of checkout sessions, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['CheckoutSession'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

builder.queryField('checkoutSession', (t) =>
  t.prismaField({
    type: 'CheckoutSession',
    description: 'One checkout session. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true, session: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      await sessionScope(context, id);
      const session = await context.database.checkoutSession.findUnique({ ...query, where: { id } });
      if (!session) throw notFound('checkout session');
      return session;
    },
  }),
);

const CheckoutSessionFilter = builder.inputType('CheckoutSessionFilter', {
  description: 'Conditions on checkout sessions. Sessions must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    status: t.field({ type: [CheckoutSessionStatusEnum], description: 'Only these statuses.' }),
  }),
});

builder.queryField('checkoutSessions', (t) =>
  t.prismaConnection(
    {
      type: 'CheckoutSession',
      cursor: 'id',
      description: 'Checkout sessions, newest first unless ordered otherwise; at most 100 at a time.',
      authScopes: { read: true },
      complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
      args: {
        ...orderArgs,
        filter: t.arg({
          type: CheckoutSessionFilter,
          description: 'Returns only rows that match every given condition.',
        }),
        appId: t.arg.id({ description: 'Only this app.' }),
        status: t.arg({ type: CheckoutSessionStatusEnum, description: 'Only this status.' }),
      },
      totalCount: async (_root, args, context) =>
        context.database.checkoutSession.count({ where: await conditionsOf(context, args, sessionWhere) }),
      resolve: async (query, _root, args, context) => {
        const where = await conditionsOf(context, args, sessionWhere);
        return context.database.checkoutSession.findMany(windowOf(query, args, where));
      },
    },
    { name: 'CheckoutSessionConnection' },
    { name: 'CheckoutSessionEdge' },
  ),
);

builder.queryField('checkoutSessionsPage', (t) =>
  t.field({
    type: CheckoutSessionPage,
    description:
      'A numbered page of checkout sessions, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: CheckoutSessionStatusEnum, description: 'Only this status.' }),
    },
    resolve: async (_root, args, context) => {
      const where = sessionWhere(await scopeOf(context, args), args);
      return pageOf(args, {
        items: (query: SessionQuery, window) =>
          context.database.checkoutSession.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.checkoutSession.count({ where }),
      });
    },
  }),
);

type Conditions = { status?: CheckoutSession['status'] | CheckoutSession['status'][] | null | undefined };

function sessionWhere(scope: Scope, { status }: Conditions): Prisma.CheckoutSessionWhereInput {
  return { ...appScope(scope), ...anyOf(status) };
}
