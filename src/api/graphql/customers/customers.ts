/** The queries customer, customers and customersPage. */
import type { CustomerAccount, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { readEvmAddress } from '../../../chains/evm/evm-address.ts';
import { invalid, notFound } from '../../../errors.ts';
import { isId } from '../../../platform/identifier.ts';
import { builder } from '../server/builder.ts';
import { conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';
import { containing } from '../server/search.ts';

type CustomerQuery = { include?: Prisma.CustomerAccountInclude; select?: Prisma.CustomerAccountSelect };

type CustomerConditions = Prisma.CustomerAccountWhereInput & { OR?: Prisma.CustomerAccountWhereInput[] };

const SEARCH_LIMIT = 255;

const CustomerPage = builder.objectRef<Page<CustomerQuery, CustomerAccount>>('CustomerPage').implement({
  description: 'A page of customers, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['CustomerAccount'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

/** Matches customers whose name or email contains the text, ignoring case. Throws VALIDATION_ERROR for more than 255 characters. */
function customerWhere(scope: Scope, search: string | null | undefined): CustomerConditions {
  if (!search) return appScope(scope);
  if (search.length > SEARCH_LIMIT) {
    throw invalid([{ param: 'search', message: `at most ${SEARCH_LIMIT} characters` }]);
  }
  const part = containing(search);
  return { ...appScope(scope), OR: [{ name: part }, { email: part }] };
}

/** Also matches customers by external id, id or wallet. */
function anyCustomerWhere(
  scope: Scope,
  { search }: { search?: string | null | undefined },
): Prisma.CustomerAccountWhereInput {
  const text = search?.trim() ?? '';
  const where = customerWhere(scope, text);
  if (where.OR === undefined) return where;
  const wallet = readEvmAddress(text);
  return {
    ...where,
    OR: [
      ...where.OR,
      { externalId: containing(text) },
      ...(isId(text) ? [{ id: text.toLowerCase() }] : []),
      ...(wallet === null ? [] : [{ wallets: { some: { walletAddress: wallet } } }]),
    ],
  };
}

builder.queryField('customer', (t) =>
  t.prismaField({
    type: 'CustomerAccount',
    description: 'One customer. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const customer = await context.database.customerAccount.findUnique({ ...query, where: { id } });
      if (!customer) throw notFound('customer');
      return customer;
    },
  }),
);

const CustomerFilter = builder.inputType('CustomerFilter', {
  description: 'Conditions on customers. Customers must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    search: t.string({
      description:
        'Part of the name, email or external ID, case-insensitive, or a complete ID or wallet address; at most 255 characters.',
    }),
  }),
});

builder.queryField('customers', (t) =>
  t.prismaConnection({
    type: 'CustomerAccount',
    cursor: 'id',
    description: 'Customers, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({ type: CustomerFilter, description: 'Returns only rows that match every given condition.' }),
      appId: t.arg.id({ description: 'Only this app.' }),
      search: t.arg.string({
        description:
          'Part of the name, email or external ID, case-insensitive, or a complete ID or wallet address; at most 255 characters.',
      }),
    },
    totalCount: async (_root, args, context) =>
      context.database.customerAccount.count({ where: await conditionsOf(context, args, anyCustomerWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, anyCustomerWhere);
      return context.database.customerAccount.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('customersPage', (t) =>
  t.field({
    type: CustomerPage,
    description: 'A numbered page of customers, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      search: t.arg.string({ description: 'Part of the name or email, case-insensitive, at most 255 characters.' }),
    },
    resolve: async (_root, args, context) => {
      const where = customerWhere(await scopeOf(context, args), args.search);
      return pageOf(args, {
        items: (query: CustomerQuery, window) =>
          context.database.customerAccount.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.customerAccount.count({ where }),
      });
    },
  }),
);
