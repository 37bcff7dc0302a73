/** The inputs for creating and changing plans and prices. */
import {
  createPlanSchema,
  createPriceSchema,
  updatePlanSchema,
  updatePriceSchema,
} from '../../../catalog/product-plan.ts';
import { builder } from '../server/builder.ts';
import { appIdShape, carryRules, defineRules, OWN_APP } from '../server/input.ts';
import { MeteringSchemeEnum, PriceTypeEnum } from './metering.ts';
import { BillingIntervalEnum, PlanTypeEnum } from './product-plan.ts';

const MeteringTierInput = builder.inputType('MeteringTierInput', {
  description: 'A tier of a metered price. It starts after the last unit of the previous tier.',
  fields: (t) => ({
    upTo: t.field({ type: 'Decimal', description: 'The last unit of the tier. Null for the last tier.' }),
    unitAmount: t.field({
      type: 'Decimal',
      required: true,
      description: 'The price of a unit: at most 12 integer digits and 12 decimals, zero allowed.',
    }),
    flatAmount: t.field({
      type: 'Decimal',
      description: 'Fixed amount that is added once if the tier applies; at most 2 decimals.',
    }),
  }),
});

const MeteringInput = builder.inputType('MeteringInput', {
  description: 'How the usage of a period is priced.',
  fields: (t) => ({
    scheme: t.field({ type: MeteringSchemeEnum, required: true, description: 'How tiers apply.' }),
    unitName: t.string({
      required: true,
      description: 'Name of a unit, such as "API call": 1 to 50 characters.',
    }),
    includedUnits: t.field({
      type: 'Decimal',
      description: 'Units of each period that are free. Defaults to 0. Tiers apply to the units beyond them.',
    }),
    unitAmount: t.field({
      type: 'Decimal',
      description: 'The price of a unit with PER_UNIT: at most 12 integer digits and 12 decimals.',
    }),
    tiers: t.field({
      type: [MeteringTierInput],
      description: 'With GRADUATED and VOLUME: 1 to 50 tiers in ascending order, the last without an upper bound.',
    }),
    capAmount: t.field({
      type: 'Decimal',
      required: true,
      description:
        'The maximum charge for a period, including tax, which the payer sees and signs. At least the amount of the price.',
    }),
  }),
});

export const createPriceRules = defineRules({ schema: createPriceSchema });
export const CreatePriceInput = builder.inputType('CreateProductPlanPriceInput', {
  description: 'Input for creating a price.',
  extensions: carryRules(createPriceRules),
  fields: (t) => ({
    amount: t.field({
      type: 'Decimal',
      required: true,
      description: 'Positive, at most 12 digits and 2 decimals. With METERED it is the base fee, which may be zero.',
    }),
    priceType: t.field({
      type: PriceTypeEnum,
      description: 'Defaults to METERED if `metering` is given, otherwise to FIXED.',
    }),
    metering: t.field({
      type: MeteringInput,
      description: 'How usage is priced. Required for a METERED price; allowed only in SUBSCRIPTION plans.',
    }),
    currency: t.string({ description: 'USD or EUR. Defaults to USD.' }),
    billingInterval: t.field({ type: BillingIntervalEnum, description: 'Required for a SUBSCRIPTION plan.' }),
    billingIntervalCount: t.int({ description: 'Number of interval units in a billing period. Defaults to 1.' }),
    trialPeriodDays: t.int({ description: 'Number of days before the first charge, at most 730.' }),
    nickname: t.string({ description: 'At most 255 characters.' }),
    sortOrder: t.int({ description: "Position among the plan's prices. Defaults to the last." }),
    isDefault: t.boolean({ description: 'Whether this is the default price. A plan has exactly one.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

export const updatePriceRules = defineRules({ schema: updatePriceSchema.extend(appIdShape) });
export const UpdatePriceInput = builder.inputType('UpdateProductPlanPriceInput', {
  description: 'Changes to a price. Amount, currency, interval and metering cannot be changed.',
  extensions: carryRules(updatePriceRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    nickname: t.string({ description: 'At most 255 characters.' }),
    sortOrder: t.int({ description: "Position among the plan's prices." }),
    isDefault: t.boolean({ description: 'True makes it the default in place of the current one.' }),
    isActive: t.boolean({ description: 'False archives it. The default price cannot be archived.' }),
    trialPeriodDays: t.int({ description: 'Number of trial days for subscriptions that are created from now on.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

export const createPlanRules = defineRules({ schema: createPlanSchema.extend(appIdShape) });
export const CreatePlanInput = builder.inputType('CreateProductPlanInput', {
  description: 'Input for creating a plan with its prices.',
  extensions: carryRules(createPlanRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Required if the credential covers several apps.' }),
    name: t.string({ required: true, description: '1 to 255 characters.' }),
    description: t.string({ description: 'At most 2000 characters.' }),
    imageUrl: t.field({ type: 'URL', description: 'An http(s) URL.' }),
    planType: t.field({ type: PlanTypeEnum, description: 'Defaults to ONE_TIME.' }),
    taxRateId: t.field({ type: 'UUID', description: 'A tax rate of the merchant.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
    prices: t.field({
      type: [CreatePriceInput],
      required: true,
      description: '1 to 50 prices, exactly one of which is the default.',
    }),
  }),
});

export const updatePlanRules = defineRules({ schema: updatePlanSchema.extend(appIdShape) });
export const UpdatePlanInput = builder.inputType('UpdateProductPlanInput', {
  description: 'Changes to a plan. An absent field is unchanged, and null clears a field.',
  extensions: carryRules(updatePlanRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    name: t.string({ description: '1 to 255 characters.' }),
    description: t.string({ description: 'At most 2000 characters.' }),
    imageUrl: t.field({ type: 'URL', description: 'An http(s) URL.' }),
    taxRateId: t.field({ type: 'UUID', description: 'A tax rate of the merchant.' }),
    isActive: t.boolean({ description: 'False archives it.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});
