/** The Invoice and InvoiceItem types and their queries. */
import type { Invoice, InvoiceStatus, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import { invoiceUrl } from '../../../invoices/page/invoice-link.ts';
import { storedUsage, type UsageOfLine } from '../../../subscriptions/usage/usage-of-line.ts';
import { MeteringSchemeEnum, TierUsageRef } from '../catalog/metering.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { anyOf, conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { byId } from '../server/lists/keyset.ts';
import { connectionOf, relatedConnection } from '../server/lists/related-connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';

const InvoiceStatusEnum = builder.enumType('InvoiceStatus', {
  description: 'Status of an invoice.',
  values: {
    DRAFT: { value: 'DRAFT', description: 'Not opened yet. A draft has no number.' },
    OPEN: { value: 'OPEN', description: 'Numbered and due for payment.' },
    PAID: { value: 'PAID', description: 'Its payment was captured.' },
    PAST_DUE: { value: 'PAST_DUE', description: 'The charges for it failed.' },
    VOID: { value: 'VOID', description: 'Voided by the merchant.' },
    UNCOLLECTIBLE: { value: 'UNCOLLECTIBLE', description: 'Collection was abandoned.' },
  } as const,
});

const UsageInvoiceReasonEnum = builder.enumType('UsageInvoiceReason', {
  description: 'Why an invoice of a subscription charges usage only.',
  values: {
    ABOVE_CAP: { value: 'ABOVE_CAP', description: 'The usage exceeds what the payer has signed for a period.' },
    FINAL: { value: 'FINAL', description: 'The subscription has ended.' },
  } as const,
});

const InvoiceItemUsageRef = builder.objectRef<UsageOfLine>('InvoiceItemUsage').implement({
  description: 'The metered usage that a line of an invoice charges.',
  fields: (t) => ({
    quantity: t.expose('quantity', { type: 'Decimal', description: 'Units used, including the included units.' }),
    unitName: t.exposeString('unitName', { description: 'Name of a unit.' }),
    scheme: t.expose('scheme', { type: MeteringSchemeEnum, description: 'How the tiers apply.' }),
    includedUnits: t.expose('includedUnits', { type: 'Decimal', description: 'Units that are free.' }),
    periodStart: t.field({
      type: 'DateTime',
      description: 'Start of the period in which the units were used.',
      resolve: ({ periodStart }) => new Date(periodStart),
    }),
    periodEnd: t.field({
      type: 'DateTime',
      description: 'End of that period.',
      resolve: ({ periodEnd }) => new Date(periodEnd),
    }),
    tiers: t.expose('tiers', {
      extensions: { rest: true },
      type: [TierUsageRef],
      description: 'The units charged in each tier.',
    }),
    isAboveCap: t.exposeBoolean('isAboveCap', {
      description:
        'Whether the line is the part above the cap, which is deducted from one invoice and charged by another.',
    }),
  }),
});

builder.prismaObject('InvoiceItem', {
  description: 'A line of an invoice.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    description: t.exposeString('description', { description: '1 to 500 characters.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'Price of one unit, as set by the merchant.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    quantity: t.exposeInt('quantity', { description: 'Number of units.' }),
    discountAmount: t.expose('discountAmount', {
      type: 'Decimal',
      description: 'Discount of a coupon on the whole line. It excludes exclusive tax and includes inclusive tax.',
    }),
    taxAmount: t.expose('taxAmount', { type: 'Decimal', description: 'Tax on the line.' }),
    usage: t.field({
      extensions: { rest: true },
      type: InvoiceItemUsageRef,
      nullable: true,
      description: 'The metered usage that the line charges. Null for every other line.',
      select: { usage: true },
      resolve: ({ usage }) => storedUsage(usage),
    }),
    taxRate: t.relation('taxRate', { nullable: true, description: 'Tax rate of the line.' }),
  }),
});

const InvoiceErrorRef = builder.objectRef<{ code: string; message: string }>('InvoiceError').implement({
  description: 'Why a charge failed.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'Machine-readable code, such as INSUFFICIENT_BALANCE or CAP_EXCEEDED.',
    }),
    message: t.exposeString('message', { description: 'Human-readable message.' }),
  }),
});

const ATTEMPTS_SHOWN = 20;

const RenewalAttemptStatusEnum = builder.enumType('RenewalAttemptStatus', {
  description: 'Result of an attempt to charge an invoice.',
  values: {
    PENDING: { value: 'PENDING', description: 'The outcome is not known yet.' },
    PAID: { value: 'PAID', description: 'The invoice was charged.' },
    FAILED: { value: 'FAILED', description: 'The invoice was not charged. `error` contains the reason.' },
  } as const,
});

const RenewalAttemptRef = builder.prismaObject('RenewalAttempt', {
  description: "An attempt to charge a subscription's invoice.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    status: t.expose('status', { type: RenewalAttemptStatusEnum, description: 'Result.' }),
    error: t.field({
      type: InvoiceErrorRef,
      nullable: true,
      description: 'Why it failed. Null if it did not fail.',
      select: { errorCode: true, errorMessage: true },
      resolve: ({ errorCode, errorMessage }) =>
        errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it began.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the result was known. Null while it is pending.',
    }),
  }),
});

export const InvoiceRef = builder.prismaObject('Invoice', {
  description: 'An invoice of an app to a customer. `total` is always the sum of `subtotal` and `taxAmount`.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    customerAccountId: t.expose('customerAccountId', { type: 'UUID', description: 'The customer.' }),
    subscriptionId: t.expose('subscriptionId', { type: 'UUID', nullable: true, description: 'The subscription.' }),
    paymentIntentId: t.expose('paymentIntentId', { type: 'UUID', nullable: true, description: 'The payment.' }),
    invoiceNumber: t.exposeString('invoiceNumber', {
      nullable: true,
      description: 'Number of the invoice, unique in the app. Null until it is opened.',
    }),
    status: t.expose('status', { type: InvoiceStatusEnum, description: 'Current status.' }),
    subtotal: t.expose('subtotal', { type: 'Decimal', description: 'Amount without tax.' }),
    taxAmount: t.expose('taxAmount', { type: 'Decimal', description: 'Amount of the tax.' }),
    total: t.expose('total', { type: 'Decimal', description: 'Amount to pay.' }),
    discountAmount: t.expose('discountAmount', {
      type: 'Decimal',
      description: 'Discount of a coupon on all lines, already deducted from subtotal, taxAmount and total.',
    }),
    couponId: t.expose('couponId', {
      type: 'UUID',
      nullable: true,
      description: 'The coupon of the subscription that reduces the invoice.',
    }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    taxRateId: t.expose('taxRateId', {
      type: 'UUID',
      nullable: true,
      description: 'Tax rate of lines that have none of their own.',
    }),
    allowedChains: t.expose('allowedChains', {
      type: 'ChainSelection',
      description: 'Chains on which it can be paid.',
    }),
    allowedTokens: t.expose('allowedTokens', {
      type: 'TokenSelection',
      description: 'Tokens with which it can be paid.',
    }),
    dueDate: t.expose('dueDate', { type: 'DateTime', nullable: true, description: 'Due date.' }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true, description: 'Time of the payment.' }),
    voidedAt: t.expose('voidedAt', { type: 'DateTime', nullable: true, description: 'Time at which it was voided.' }),
    periodStart: t.expose('periodStart', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the invoiced period.',
    }),
    periodEnd: t.expose('periodEnd', { type: 'DateTime', nullable: true, description: 'End of the invoiced period.' }),
    usageReason: t.expose('usageReason', {
      type: UsageInvoiceReasonEnum,
      nullable: true,
      description: 'Why the invoice charges usage only. Null for every other invoice.',
    }),
    splitFromId: t.expose('splitFromId', {
      type: 'UUID',
      nullable: true,
      description: 'The invoice whose usage above the cap this invoice charges. Null unless usageReason is ABOVE_CAP.',
    }),
    printUrl: t.field({
      type: 'URL',
      nullable: true,
      description:
        'URL of a page to read, print and pay the invoice. Anyone with the URL can open it. Null for a draft.',
      select: { id: true, status: true },
      resolve: ({ id, status }, _args, { world }) => (status === 'DRAFT' ? null : invoiceUrl(world, id)),
    }),
    lastError: t.field({
      extensions: { rest: true },
      type: InvoiceErrorRef,
      nullable: true,
      description: 'Why the latest charge failed. Null if no charge failed, and once the invoice is paid.',
      select: { lastErrorCode: true, lastErrorMessage: true },
      resolve: ({ lastErrorCode, lastErrorMessage }) =>
        lastErrorCode === null ? null : { code: lastErrorCode, message: lastErrorMessage ?? '' },
    }),
    memo: t.exposeString('memo', { nullable: true, description: 'At most 2000 characters.' }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    items: t.relation('items', {
      extensions: { rest: true },
      description: 'The lines.',
      query: { orderBy: { position: 'asc' } },
    }),
    taxRate: t.relation('taxRate', { nullable: true, description: 'Tax rate of lines that have none of their own.' }),
    paymentIntent: t.relation('paymentIntent', { nullable: true, description: 'The payment.' }),
    customerAccount: t.relation('customerAccount', { description: 'The customer.' }),
    attempts: t.relation('renewalAttempts', {
      description: `The latest ${ATTEMPTS_SHOWN} attempts to charge it, newest first. Empty for an invoice without a subscription.`,
      complexity: { field: 1, multiplier: ATTEMPTS_SHOWN },
      query: { orderBy: { id: 'desc' }, take: ATTEMPTS_SHOWN },
    }),
  }),
});

export const InvoiceConnection = connectionOf(InvoiceRef);

relatedConnection(InvoiceRef, 'attemptsConnection', {
  model: 'Invoice',
  relation: 'renewalAttempts',
  type: connectionOf(RenewalAttemptRef),
  selects: 'RenewalAttempt',
  keyset: byId('NEWEST'),
  description: 'All attempts to charge it, newest first. Empty for an invoice without a subscription.',
});

type InvoiceQuery = { include?: Prisma.InvoiceInclude; select?: Prisma.InvoiceSelect };

const InvoicePage = builder.objectRef<Page<InvoiceQuery, Invoice>>('InvoicePage').implement({
  description: 'A page of invoices, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['Invoice'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

type InvoiceConditions = {
  status?: InvoiceStatus | InvoiceStatus[] | null | undefined;
  customerAccountId?: string | null | undefined;
};

function invoiceWhere(scope: Scope, conditions: InvoiceConditions): Prisma.InvoiceWhereInput {
  return {
    ...appScope(scope),
    ...anyOf(conditions.status),
    ...(conditions.customerAccountId ? { customerAccountId: conditions.customerAccountId } : {}),
  };
}

builder.queryField('invoice', (t) =>
  t.prismaField({
    type: 'Invoice',
    description: 'One invoice. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const invoice = await context.database.invoice.findUnique({ ...query, where: { id } });
      if (!invoice) throw notFound('invoice');
      return invoice;
    },
  }),
);

const InvoiceFilter = builder.inputType('InvoiceFilter', {
  description: 'Conditions on invoices. Invoices must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    status: t.field({ type: [InvoiceStatusEnum], description: 'Only these statuses.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'Only invoices of this customer.' }),
  }),
});

builder.queryField('invoices', (t) =>
  t.prismaConnection({
    type: 'Invoice',
    cursor: 'id',
    description: 'Invoices, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({ type: InvoiceFilter, description: 'Returns only rows that match every given condition.' }),
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: InvoiceStatusEnum, description: 'Only this status.' }),
      customerAccountId: t.arg.id({ description: 'Only this customer.' }),
    },
    totalCount: async (_root, args, context) =>
      context.database.invoice.count({ where: await conditionsOf(context, args, invoiceWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, invoiceWhere);
      return context.database.invoice.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('invoicesPage', (t) =>
  t.field({
    type: InvoicePage,
    description: 'A numbered page of invoices, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      status: t.arg({ type: InvoiceStatusEnum, description: 'Only this status.' }),
    },
    resolve: async (_root, args, context) => {
      const where = invoiceWhere(await scopeOf(context, args), { status: args.status });
      return pageOf(args, {
        items: (query: InvoiceQuery, window) =>
          context.database.invoice.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.invoice.count({ where }),
      });
    },
  }),
);
