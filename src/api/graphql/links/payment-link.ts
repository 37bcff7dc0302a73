/** The PaymentLink type and its queries. */
import type { PaymentLink, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { isLinkPayable } from '../../../checkout/links/is-link-payable.ts';
import { availableQuantity, paymentUrl } from '../../../checkout/links/payment-link.ts';
import { notFound } from '../../../errors.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';

export const PaymentLinkRef = builder.prismaObject('PaymentLink', {
  description: 'A shareable URL that accepts payments without code.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    name: t.exposeString('name', { description: '1 to 255 characters.' }),
    description: t.exposeString('description', { nullable: true, description: 'At most 2000 characters.' }),
    slug: t.exposeString('slug', { description: 'Lowercase letters, digits and hyphens, unique in the installation.' }),
    amount: t.expose('amount', {
      type: 'Decimal',
      nullable: true,
      description: 'The fixed amount. Null if a price or the payer determines the amount.',
    }),
    currency: t.exposeString('currency', { nullable: true, description: 'USD or EUR.' }),
    productPlanId: t.expose('productPlanId', {
      type: 'UUID',
      nullable: true,
      description: 'The product plan that the link sells. Null if there is none.',
    }),
    productPlanPriceId: t.expose('productPlanPriceId', {
      type: 'UUID',
      nullable: true,
      description: 'The price of the plan.',
    }),
    taxRateId: t.expose('taxRateId', { type: 'UUID', nullable: true, description: 'The tax rate.' }),
    allowedChains: t.expose('allowedChains', {
      type: 'ChainSelection',
      description: 'Numeric IDs of EVM and Solana chains.',
    }),
    allowedTokens: t.expose('allowedTokens', { type: 'TokenSelection', description: 'Token keys.' }),
    successUrl: t.exposeString('successUrl', {
      nullable: true,
      description: 'URL to which the payer is sent after paying.',
    }),
    cancelUrl: t.exposeString('cancelUrl', {
      nullable: true,
      description: 'URL to which the payer is sent after cancelling.',
    }),
    requireBillingDetails: t.exposeBoolean('requireBillingDetails', {
      description: 'Whether the payer must enter billing details.',
    }),
    isActive: t.exposeBoolean('isActive', { description: 'Whether it accepts payments.' }),
    isPayable: t.boolean({
      extensions: { rest: false },
      description:
        'Whether the link can be paid. False if the app has no payout address on any of the chains that the link allows.',
      select: {
        allowedChains: true,
        allowedTokens: true,
        app: { include: { payoutAddresses: true } },
        productPlan: { select: { planType: true } },
      },
      resolve: (link, _args, { world }) => isLinkPayable(world, link, { paused: new Set() }),
    }),
    usageCount: t.exposeInt('usageCount', { description: 'Number of completed checkouts.' }),
    minimumQuantity: t.exposeInt('minimumQuantity', {
      description: 'Minimum number of units that a payer may buy at once.',
    }),
    maximumQuantity: t.exposeInt('maximumQuantity', {
      description:
        'Maximum number of units that a payer may buy at once. If it equals the minimum, the payer cannot choose.',
    }),
    stock: t.exposeInt('stock', {
      nullable: true,
      description: 'Total number of units that the link may sell, including those already sold. Null if unlimited.',
    }),
    reservedQuantity: t.exposeInt('reservedQuantity', {
      description: 'Number of units that OPEN checkout sessions hold.',
    }),
    soldQuantity: t.exposeInt('soldQuantity', { description: 'Number of units sold by completed checkouts.' }),
    availableQuantity: t.int({
      nullable: true,
      description:
        'Number of units that can still be bought: stock minus reservedQuantity and soldQuantity. Negative if late payments or a lowered stock have oversold the link. Null if the stock is unlimited.',
      select: { stock: true, reservedQuantity: true, soldQuantity: true },
      resolve: (link) => availableQuantity(link),
    }),
    couponId: t.expose('couponId', {
      type: 'UUID',
      nullable: true,
      description:
        'The coupon that each checkout redeems. Once it cannot be redeemed any more, the link sells at the full price.',
    }),
    allowCouponCodes: t.exposeBoolean('allowCouponCodes', { description: 'Whether a payer may enter a coupon code.' }),
    coupon: t.relation('coupon', { nullable: true, description: 'The coupon that each checkout redeems.' }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    paymentUrl: t.string({
      description: 'URL of the page on which payers pay.',
      select: { slug: true },
      resolve: (link, _args, context) => paymentUrl(context.world.config.publicUrl, link),
    }),
    app: t.relation('app', { description: 'The owning app.' }),
    productPlan: t.relation('productPlan', {
      nullable: true,
      description: 'The product plan that the link sells. Null if there is none.',
    }),
    productPlanPrice: t.relation('productPlanPrice', { nullable: true, description: 'The price of the plan.' }),
    taxRate: t.relation('taxRate', { nullable: true, description: 'The tax rate.' }),
  }),
});

type LinkQuery = { include?: Prisma.PaymentLinkInclude; select?: Prisma.PaymentLinkSelect };

const PaymentLinkPage = builder.objectRef<Page<LinkQuery, PaymentLink>>('PaymentLinkPage').implement({
  description: 'A page of payment links, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['PaymentLink'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

type Conditions = { isActive?: boolean | null | undefined };

function linkWhere(scope: Scope, { isActive }: Conditions): Prisma.PaymentLinkWhereInput {
  return { ...appScope(scope), ...(isActive === null || isActive === undefined ? {} : { isActive }) };
}

builder.queryField('paymentLink', (t) =>
  t.prismaField({
    type: 'PaymentLink',
    description: 'One payment link. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const link = await context.database.paymentLink.findUnique({ ...query, where: { id } });
      if (!link) throw notFound('payment link');
      return link;
    },
  }),
);

const PaymentLinkFilter = builder.inputType('PaymentLinkFilter', {
  description: 'Conditions on payment links. Payment links must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    isActive: t.boolean({ description: 'If true, only those that accept payments; if false, only those that do not.' }),
  }),
});

builder.queryField('paymentLinks', (t) =>
  t.prismaConnection({
    type: 'PaymentLink',
    cursor: 'id',
    description: 'Payment links, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({ type: PaymentLinkFilter, description: 'Returns only rows that match every given condition.' }),
      appId: t.arg.id({ description: 'Only this app.' }),
      isActive: t.arg.boolean({
        description: 'If true, only those that accept payments; if false, only those that do not.',
      }),
    },
    totalCount: async (_root, args, context) =>
      context.database.paymentLink.count({ where: await conditionsOf(context, args, linkWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, linkWhere);
      return context.database.paymentLink.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('paymentLinksPage', (t) =>
  t.field({
    type: PaymentLinkPage,
    description: 'A numbered page of payment links, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      isActive: t.arg.boolean({
        description: 'If true, only those that accept payments; if false, only those that do not.',
      }),
    },
    resolve: async (_root, args, context) => {
      const where = linkWhere(await scopeOf(context, args), args);
      return pageOf(args, {
        items: (query: LinkQuery, window) =>
          context.database.paymentLink.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.paymentLink.count({ where }),
      });
    },
  }),
);
