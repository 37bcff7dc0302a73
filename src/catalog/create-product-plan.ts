import type { Database, ProductPlan, ProductPlanPrice } from '../../prisma/client.ts';
import { fieldsOf } from '../auth/audit/audit-entry.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import { invalid } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import { meteringOf } from './metering.ts';
import { type CreatePlanInput, type CreatePriceInput, defaultPriceIndex, priceFaults } from './product-plan.ts';
import { requireTaxRate } from './require-tax-rate.ts';

export type PlanWithPrices = ProductPlan & { prices: ProductPlanPrice[] };

/**
 * Creates a plan with its prices. Throws VALIDATION_ERROR for prices that do not fit the plan, or without exactly one default,
 * and NOT_FOUND with `param` for the tax rate.
 */
export async function createProductPlan(
  world: { database: Database },
  request: {
    app: { id: string; merchantId: string; mode: 'TEST' | 'LIVE' };
    input: CreatePlanInput;
    idempotency?: IdempotencyRequest;
  },
): Promise<PlanWithPrices> {
  const { app, input } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    const planType = input.planType ?? 'ONE_TIME';
    const faults = priceFaults(planType, app.mode, input.prices).map((fault) => ({
      param: `prices[${fault.index}].${fault.field}`,
      message: fault.message,
    }));
    const defaultIndex = defaultPriceIndex(input.prices);
    if (defaultIndex === null) faults.push({ param: 'prices', message: 'exactly one price must have isDefault true' });
    if (faults.length > 0) throw invalid(faults);
    await requireTaxRate(world.database, { merchantId: app.merchantId, id: input.taxRateId, param: 'taxRateId' });
    return await write(async (tx) => {
      const plan = await tx.productPlan.create({
        data: {
          id: newId(),
          appId: app.id,
          name: input.name,
          description: input.description ?? null,
          imageUrl: input.imageUrl ?? null,
          planType,
          taxRateId: input.taxRateId ?? null,
          metadata: input.metadata ?? {},
          prices: { create: input.prices.map((price, index) => priceRow(price, index === defaultIndex, index)) },
        },
        include: { prices: { orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }] } },
      });
      await recordAction(tx, {
        action: 'product_plan.created',
        owner: { appId: app.id },
        target: { type: 'ProductPlan', id: plan.id },
        after: {
          ...fieldsOf(plan, ['name', 'description', 'planType', 'taxRateId']),
          prices: plan.prices.map((price) => ({ id: price.id, ...fieldsOf(price, priceFacts) })),
        },
      });
      return plan;
    });
  });
}

/** The fields of a price that the audit log records. */
export const priceFacts = [
  'amount',
  'currency',
  'billingInterval',
  'billingIntervalCount',
  'trialPeriodDays',
  'nickname',
  'metering',
  'isDefault',
  'isActive',
] as const;

/** The row of a new price; its position in the list is its sort order by default. */
export function priceRow(price: CreatePriceInput, isDefault: boolean, place: number) {
  return {
    id: newId(),
    amount: price.amount,
    currency: price.currency ?? 'USD',
    billingInterval: price.billingInterval ?? null,
    billingIntervalCount: price.billingIntervalCount ?? 1,
    trialPeriodDays: price.trialPeriodDays ?? null,
    nickname: price.nickname ?? null,
    sortOrder: price.sortOrder ?? place,
    isDefault,
    ...(price.metering ? { metering: meteringOf(price.metering) } : {}),
    metadata: price.metadata ?? {},
  };
}
