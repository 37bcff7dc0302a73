/** The Coupon type and its queries. */
import type { Coupon, CouponDuration, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { couponDurations } from '../../../catalog/coupons/coupon.ts';
import { notFound } from '../../../errors.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { conditionsOf, connectionSize, orderArgs, windowOf } from '../server/connection.ts';
import { listComplexity, type Page, pageArgs, pageFields, pageOf } from '../server/page.ts';
import { scopeOf } from '../server/scope-of.ts';

const durationWords: Record<CouponDuration, string> = {
  ONCE: 'The first invoice that is charged.',
  REPEATING: 'The number of invoices in `durationPeriods`.',
  FOREVER: 'Every invoice.',
};

export const CouponDurationEnum = builder.enumType('CouponDuration', {
  description: 'Which invoices of a subscription a coupon reduces. For any other payment, the discount applies once.',
  values: Object.fromEntries(
    couponDurations.map((duration) => [duration, { value: duration, description: durationWords[duration] }]),
  ) as { [Duration in CouponDuration]: { value: Duration; description: string } },
});

export const CouponRef = builder.prismaObject('Coupon', {
  description: 'A discount that checkouts redeem: either a percentage or an amount.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    name: t.exposeString('name', { description: '1 to 255 characters. Visible to payers.' }),
    code: t.exposeString('code', {
      nullable: true,
      description:
        'Code that a payer enters, in upper case, unique in the app. Null if only the merchant applies the coupon.',
    }),
    percentOffBps: t.exposeInt('percentOffBps', {
      nullable: true,
      description: 'Discount on each line in basis points, 1 to 10000. Null if the discount is an amount.',
    }),
    amountOff: t.expose('amountOff', {
      type: 'Decimal',
      nullable: true,
      description: 'Discount on all lines together. Null if the discount is a percentage.',
    }),
    currency: t.exposeString('currency', { nullable: true, description: 'USD or EUR, the currency of amountOff.' }),
    duration: t.expose('duration', {
      type: CouponDurationEnum,
      description: 'Which invoices of a subscription it reduces.',
    }),
    durationPeriods: t.exposeInt('durationPeriods', {
      nullable: true,
      description: 'The number of invoices if the duration is REPEATING, otherwise null.',
    }),
    maxRedemptions: t.exposeInt('maxRedemptions', {
      nullable: true,
      description: 'Number of checkouts and subscriptions that may redeem it. Null if unlimited.',
    }),
    maxRedemptionsPerCustomer: t.exposeInt('maxRedemptionsPerCustomer', {
      nullable: true,
      description:
        'Number of checkouts that may redeem it for each customer, who is identified by ID or email address. Null if unlimited.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which no new checkout can redeem it. Null if it does not expire.',
    }),
    redemptionCount: t.exposeInt('redemptionCount', {
      description:
        'Number of checkouts and subscriptions that hold it or have redeemed it. Those that expire unpaid are not counted.',
    }),
    isActive: t.exposeBoolean('isActive', { description: 'Whether it is active. False if it is archived.' }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

type CouponQuery = { include?: Prisma.CouponInclude; select?: Prisma.CouponSelect };

const CouponPage = builder.objectRef<Page<CouponQuery, Coupon>>('CouponPage').implement({
  description: 'A page of coupons, newest first.',
  fields: (t) => ({
    items: t.prismaField({
      type: ['Coupon'],
      description: 'The rows of this page.',
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, page) => page.items(query),
    }),
    ...pageFields(t),
  }),
});

type Conditions = { isActive?: boolean | null | undefined };

function couponWhere(scope: Scope, { isActive }: Conditions): Prisma.CouponWhereInput {
  return { ...appScope(scope), ...(isActive === null || isActive === undefined ? {} : { isActive }) };
}

builder.queryField('coupon', (t) =>
  t.prismaField({
    type: 'Coupon',
    description: 'One coupon. NOT_FOUND if it does not belong to the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: async (query, _root, { id }, context) => {
      const coupon = await context.database.coupon.findUnique({ ...query, where: { id } });
      if (!coupon) throw notFound('coupon');
      return coupon;
    },
  }),
);

const CouponFilter = builder.inputType('CouponFilter', {
  description: 'Conditions on coupons. Coupons must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    isActive: t.boolean({ description: 'If true, only active ones; if false, only archived ones.' }),
  }),
});

builder.queryField('coupons', (t) =>
  t.prismaConnection({
    type: 'Coupon',
    cursor: 'id',
    description: 'Coupons, newest first unless ordered otherwise; at most 100 at a time.',
    authScopes: { read: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: {
      ...orderArgs,
      filter: t.arg({ type: CouponFilter, description: 'Returns only rows that match every given condition.' }),
      appId: t.arg.id({ description: 'Only this app.' }),
      isActive: t.arg.boolean({ description: 'If true, only active ones; if false, only archived ones.' }),
    },
    totalCount: async (_root, args, context) =>
      context.database.coupon.count({ where: await conditionsOf(context, args, couponWhere) }),
    resolve: async (query, _root, args, context) => {
      const where = await conditionsOf(context, args, couponWhere);
      return context.database.coupon.findMany(windowOf(query, args, where));
    },
  }),
);

builder.queryField('couponsPage', (t) =>
  t.field({
    type: CouponPage,
    description: 'A numbered page of coupons, newest first. Without `appId`, it covers all apps of the caller.',
    authScopes: { read: true },
    complexity: (args) => listComplexity(args.pageSize),
    args: {
      ...pageArgs,
      appId: t.arg.id({ description: 'Only this app.' }),
      isActive: t.arg.boolean({ description: 'If true, only active ones; if false, only archived ones.' }),
    },
    resolve: async (_root, args, context) => {
      const where = couponWhere(await scopeOf(context, args), args);
      return pageOf(args, {
        items: (query: CouponQuery, window) =>
          context.database.coupon.findMany({ ...query, ...window, where, orderBy: { id: 'desc' } }),
        total: () => context.database.coupon.count({ where }),
      });
    },
  }),
);
