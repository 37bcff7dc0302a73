/** The ProductPlan and ProductPlanPrice types. */
import { imageAddress } from '../../../auth/tokens/image-address.ts';
import { storedMetering } from '../../../catalog/metering.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { MeteringRef, PriceTypeEnum } from './metering.ts';

export const PlanTypeEnum = builder.enumType('PlanType', {
  description: 'How a plan is sold.',
  values: {
    ONE_TIME: { value: 'ONE_TIME', description: 'The plan is sold by a single payment.' },
    SUBSCRIPTION: { value: 'SUBSCRIPTION', description: 'The plan is charged once in each billing period.' },
  } as const,
});

export const BillingIntervalEnum = builder.enumType('BillingInterval', {
  description: 'The unit of a billing period.',
  values: {
    MINUTE: { value: 'MINUTE', description: 'One minute. Only for apps in test mode.' },
    DAY: { value: 'DAY', description: '24 hours.' },
    WEEK: { value: 'WEEK', description: 'Seven days.' },
    MONTH: {
      value: 'MONTH',
      description:
        'A calendar month in UTC. A day that does not exist in a month is replaced by the last day of the month.',
    },
    YEAR: { value: 'YEAR', description: 'Twelve calendar months.' },
  } as const,
});

export const ProductPlanPriceRef = builder.prismaObject('ProductPlanPrice', {
  description: 'A price of a plan.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    productPlanId: t.expose('productPlanId', { type: 'UUID', description: 'The plan.' }),
    amount: t.expose('amount', {
      type: 'Decimal',
      description: 'Price of one unit, in `currency`. For a METERED price, it is the base fee of a period.',
    }),
    priceType: t.field({
      type: PriceTypeEnum,
      description: 'Whether the price charges usage as well.',
      select: { metering: true },
      resolve: ({ metering }) => (metering === null ? 'FIXED' : 'METERED'),
    }),
    metering: t.field({
      extensions: { rest: true },
      type: MeteringRef,
      nullable: true,
      description: 'How usage is priced. Null for a FIXED price.',
      select: { metering: true },
      resolve: ({ metering }) => storedMetering(metering),
    }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    billingInterval: t.expose('billingInterval', {
      type: BillingIntervalEnum,
      nullable: true,
      description: 'Unit of the billing period. Null for a ONE_TIME plan.',
    }),
    billingIntervalCount: t.exposeInt('billingIntervalCount', {
      description: 'Number of those units in a billing period.',
    }),
    trialPeriodDays: t.exposeInt('trialPeriodDays', {
      nullable: true,
      description: 'Number of days before the first charge.',
    }),
    nickname: t.exposeString('nickname', { nullable: true, description: 'At most 255 characters.' }),
    sortOrder: t.exposeInt('sortOrder', { description: "Position among the plan's prices." }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether this is the default price. A plan has exactly one.',
    }),
    isActive: t.exposeBoolean('isActive', { description: 'Whether it is active. False if it is archived.' }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

export const ProductPlanRef = builder.prismaObject('ProductPlan', {
  description: 'What a merchant sells, once or by subscription.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    name: t.exposeString('name', { description: '1 to 255 characters.' }),
    description: t.exposeString('description', { nullable: true, description: 'At most 2000 characters.' }),
    imageUrl: t.exposeString('imageUrl', { nullable: true, description: 'An http(s) URL.' }),
    proxiedImageUrl: t.string({
      extensions: { rest: false },
      nullable: true,
      description: 'Path from which pages of this installation load the image. It begins with /images/.',
      select: { imageUrl: true },
      resolve: (plan, _args, { world }) => imageAddress(world.secretKeys, plan.imageUrl),
    }),
    planType: t.expose('planType', { type: PlanTypeEnum, description: 'How it is sold.' }),
    taxRateId: t.expose('taxRateId', { type: 'UUID', nullable: true, description: 'Tax rate of the plan.' }),
    isActive: t.exposeBoolean('isActive', { description: 'Whether it is active. False if it is archived.' }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    taxRate: t.relation('taxRate', { nullable: true, description: 'Tax rate of the plan.' }),
    prices: t.relation('prices', {
      description: 'Prices of the plan in their order, including archived ones.',
      // A plan may have 50 prices, but few plans have more than ten.
      complexity: { field: 1, multiplier: 10 },
      query: { orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }] },
    }),
  }),
});
