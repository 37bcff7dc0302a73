import type { Database, ProductPlanPrice } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import { fieldsOf } from '../auth/audit/audit-entry.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { invalid, notFound } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { priceFacts, priceRow } from './create-product-plan.ts';
import { type CreatePriceInput, priceFaults } from './product-plan.ts';
import { lockPlan } from './store.ts';

/** Adds a price to a plan; with `isDefault` it replaces the current default. Throws NOT_FOUND. */
export async function createProductPlanPrice(
  world: { database: Database },
  request: { scope: Scope; planId: string; input: CreatePriceInput; idempotency?: IdempotencyRequest },
): Promise<ProductPlanPrice> {
  const { input } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    const plan = await world.database.productPlan.findFirst({
      where: { id: request.planId, ...appScope(request.scope) },
      include: { app: true },
    });
    if (!plan) throw notFound('product plan');
    const faults = priceFaults(plan.planType, plan.app.mode, [input]);
    if (faults.length > 0) throw invalid(faults.map((fault) => ({ param: fault.field, message: fault.message })));
    return await write(async (tx) => {
      await lockPlan(tx, plan.id);
      const active = await tx.productPlanPrice.findMany({ where: { productPlanId: plan.id, isActive: true } });
      const isDefault = input.isDefault === true || !active.some((price) => price.isDefault);
      if (isDefault) {
        await tx.productPlanPrice.updateMany({
          where: { productPlanId: plan.id, isDefault: true },
          data: { isDefault: false },
        });
      }
      const price = await tx.productPlanPrice.create({
        data: { ...priceRow(input, isDefault, active.length), productPlanId: plan.id },
      });
      await recordAction(tx, {
        action: 'product_plan_price.created',
        owner: { appId: plan.appId },
        target: { type: 'ProductPlanPrice', id: price.id },
        after: fieldsOf(price, ['productPlanId', ...priceFacts]),
      });
      return price;
    });
  });
}
