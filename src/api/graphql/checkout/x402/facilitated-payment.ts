/** The FacilitatedPayment type, and the queries facilitatedPayment, facilitatedPayments and facilitatedPaymentsPage. */
import { type ExactAuthorization, type ExactGasCost, type ExactStatus, Prisma } from '../../../../../prisma/client.ts';
import { appScope } from '../../../../auth/app-scope.ts';
import type { Scope } from '../../../../auth/principal.ts';
import { notFound } from '../../../../errors.ts';
import { facilitatedPaymentFields } from '../../../../payments/x402/exact/facilitated-payment-fields.ts';
import { toBigInt, toDecimal } from '../../../../prices/base-units.ts';
import { type GasCost, GasCostRef } from '../../payments/gas-cost.ts';
import { builder, NodeRef } from '../../server/builder.ts';
import { anyOf, conditionsOf, connectionSize, orderArgs, windowOf } from '../../server/connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../../server/page.ts';
import { scopeOf } from '../../server/scope-of.ts';

const StatusEnum = builder.enumType('FacilitatedPaymentStatus', {
  description: 'Status of a payment to another server.',
  values: {
    PENDING: { value: 'PENDING', description: 'Accepted, and its outcome is not known yet.' },
    SETTLED: { value: 'SETTLED', description: 'The token transferred the amount.' },
    FAILED: { value: 'FAILED', description: 'Nothing was transferred, and nothing will be.' },
  } satisfies { [Status in ExactStatus]: { value: Status; description: string } },
});

const printed = facilitatedPaymentFields;

builder.prismaObject('ExactAuthorization', {
  name: 'FacilitatedPayment',
  description:
    "A payment by x402 `exact` that was settled for another server. The payer paid that server's address directly. The payment has no payment intent and no ledger entries.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The app whose key settled it.' }),
    status: t.expose('status', { type: StatusEnum, description: 'Current status.' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount, in base units.' }),
    valueUsd: t.expose('valueUsd', {
      type: 'Decimal',
      nullable: true,
      description: 'Its value in USD when it was accepted. It counts towards the limits of the app.',
    }),
    payer: t.field({
      type: 'Address',
      description: "The payer's wallet.",
      select: { payer: true },
      resolve: (row) => printed(row).payer,
    }),
    payTo: t.field({
      type: 'Address',
      description: 'The address that is paid.',
      select: { payTo: true },
      resolve: (row) => printed(row).payTo,
    }),
    resource: t.exposeString('resource', {
      nullable: true,
      description: 'The URL of the resource, as the payer stated it. Null if it was not stated.',
    }),
    feeBps: t.int({ description: 'The fee that is billed, in basis points.', resolve: (row) => printed(row).feeBps }),
    feeAmount: t.field({
      type: 'BaseUnits',
      description:
        'The fee in base units, rounded up. It is billed for a settled payment and never deducted from the amount.',
      resolve: (row) => printed(row).feeAmount,
    }),
    gasCost: t.field({
      extensions: { rest: true },
      type: GasCostRef,
      nullable: true,
      description:
        'What this installation paid for the gas of its transfers, including those that failed. Null if none of them is confirmed. `amountUsd` is null if one of them had no price.',
      select: { chainId: true, gasCosts: { select: { gasCostWei: true, gasCostUsd: true } } },
      resolve: ({ chainId, gasCosts }, _args, { world }) => {
        const coin = world.registry.chain(chainId)?.native;
        return gasCosts.length === 0 || !coin ? null : { coin, ...sumOf(gasCosts) };
      },
    }),
    txHash: t.expose('txHash', {
      type: 'Hex',
      nullable: true,
      description: 'The transaction in which the authorization was used or canceled. Null while there is none.',
    }),
    failureReason: t.string({
      nullable: true,
      description: 'Why it failed, as an x402 error code in snake_case. Null unless it failed.',
      resolve: (row) => printed(row).failureReason,
    }),
    failureMessage: t.string({
      nullable: true,
      description: 'Why it failed, as a sentence. Null unless it failed.',
      resolve: (row) => printed(row).failureMessage,
    }),
    settledAt: t.expose('settledAt', { type: 'DateTime', nullable: true, description: 'Block time of the transfer.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was accepted.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

/** The sum of at least one cost. */
function sumOf(costs: readonly Pick<ExactGasCost, 'gasCostWei' | 'gasCostUsd'>[]): Pick<GasCost, 'wei' | 'usd'> {
  const priced = costs.flatMap(({ gasCostUsd }) => (gasCostUsd === null ? [] : [gasCostUsd]));
  return {
    wei: toDecimal(costs.reduce((sum, { gasCostWei }) => sum + toBigInt(gasCostWei), 0n)),
    usd: priced.length < costs.length ? null : Prisma.Decimal.sum(...priced),
  };
}

type PaymentQuery = { include?: Prisma.ExactAuthorizationInclude; select?: Prisma.ExactAuthorizationSelect };

const FacilitatedPaymentPage = builder
  .objectRef<Page<PaymentQuery, ExactAuthorization>>('FacilitatedPaymentPage')
  .implement({
    description: 'A page of payments to other servers, newest first.',
    fields: (t) => ({
      items: t.prismaField({
        type: ['ExactAuthorization'],
        description: 'The rows of this page.',
        complexity: { field: 1, multiplier: 1 },
        resolve: (query, page) => page.items(query),
      }),
      ...pageFields(t),
    }),
  });

type Conditions = { status?: ExactStatus | readonly ExactStatus[] | null | undefined };

function paymentWhere(scope: Scope, { status }: Conditions): Prisma.ExactAuthorizationWhereInput {
  return { ...appScope(scope), paymentIntentId: null, ...anyOf(status) };
}

builder.queryField('facilitatedPayment', (t) =>
  t.prismaField({
    type: 'ExactAuthorization',
    description: 'One payment to another server. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'The UUID of the payment.' }) },
    resolve: async (query, _root, { id }, { database }) => {
      const payment = await database.exactAuthorization.findFirst({ ...query, where: { id, paymentIntentId: null } });
      if (!payment) throw notFound('facilitated payment');
      return payment;
    },
  }),
);

const FacilitatedPaymentFilter = builder.inputType('FacilitatedPaymentFilter', {
  description: 'Conditions on payments to other servers. Payments must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    status: t.field({ type: [StatusEnum], description: 'Only these statuses.' }),
  }),
});

builder.queryField('facilitatedPayments', (t) =>
  t.prismaConnection({
    type: 'ExactAuthorization',
    cursor: 'id',
    description: 'Payments to other servers, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({
        type: FacilitatedPaymentFilter,
        description: 'Returns only rows that match every given condition.',
      }),
    },
    totalCount: async (_root, args, context) =>
      context.database.exactAuthorization.count({ where: await conditionsOf(context, args, paymentWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, paymentWhere);
      return context.database.exactAuthorization.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('facilitatedPaymentsPage', (t) =>
  t.field({
    type: FacilitatedPaymentPage,
    description:
      'A numbered page of payments to other servers, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: StatusEnum, description: 'Only this status.' }),
    },
    resolve: async (_root, args, context) => {
      const where = paymentWhere(await scopeOf(context, args), args);
      return pageOf(args, {
        items: (query: PaymentQuery, window) =>
          context.database.exactAuthorization.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.exactAuthorization.count({ where }),
      });
    },
  }),
);
