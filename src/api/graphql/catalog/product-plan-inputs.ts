/** The inputs for creating and changing plans and prices. */
import {
  createPlanSchema,
  createPriceSchema,
  updatePlanSchema,
  updatePriceSchema,
} from '../../../catalog/product-plan.ts';
import { builder } from '../server/builder.ts';
import { appIdShape, carryRules, defineRules, OWN_APP } from '../server/input.ts';
import { BillingIntervalEnum, PlanTypeEnum } from './product-plan.ts';

export const createPriceRules = defineRules({ schema: createPriceSchema });
export const CreatePriceInput = builder.inputType('CreateProductPlanPriceInput', {
  description: 'Input for creating a price.',
  extensions: carryRules(createPriceRules),
  fields: (t) => ({
    amount: t.field({ type: 'Decimal', required: true, description: 'Positive, at most 12 digits and 2 decimals.' }),
    currency: t.string({ description: 'USD (the default) or EUR.' }),
    billingInterval: t.field({ type: BillingIntervalEnum, description: 'Required for a SUBSCRIPTION plan.' }),
    billingIntervalCount: t.int({ description: 'Units a period, 1 by default.' }),
    trialPeriodDays: t.int({ description: 'Days before the first charge, at most 730.' }),
    nickname: t.string({ description: 'At most 255 characters.' }),
    sortOrder: t.int({ description: 'Its place among the plan’s prices; last by default.' }),
    isDefault: t.boolean({ description: 'Exactly one of a plan is.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

export const updatePriceRules = defineRules({ schema: updatePriceSchema.extend(appIdShape) });
export const UpdatePriceInput = builder.inputType('UpdateProductPlanPriceInput', {
  description: 'Changes to a price. Amount, currency and interval cannot be changed.',
  extensions: carryRules(updatePriceRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    nickname: t.string({ description: 'At most 255 characters.' }),
    sortOrder: t.int({ description: 'Its place among the plan’s prices.' }),
    isDefault: t.boolean({ description: 'True makes it the default in place of the current one.' }),
    isActive: t.boolean({ description: 'False archives it. The default price cannot be archived.' }),
    trialPeriodDays: t.int({ description: 'For subscriptions from now on.' }),
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
    planType: t.field({ type: PlanTypeEnum, description: 'ONE_TIME by default.' }),
    taxRateId: t.field({ type: 'UUID', description: 'A tax rate of the merchant.' }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
    prices: t.field({ type: [CreatePriceInput], required: true, description: '1 to 50, one of them the default.' }),
  }),
});

export const updatePlanRules = defineRules({ schema: updatePlanSchema.extend(appIdShape) });
export const UpdatePlanInput = builder.inputType('UpdateProductPlanInput', {
  description: 'Changes to a plan. An absent field stays, and null clears a field.',
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
