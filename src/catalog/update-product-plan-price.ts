import { type Database, type Prisma, type ProductPlanPrice, transaction } from '../../prisma/client.ts';
import { changedFields } from '../auth/audit/audit-entry.ts';
import { recordChange } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import type { UpdatePriceInput } from './product-plan.ts';
import { lockPrice } from './store.ts';

/**
 * Updates a price, except for what was sold (amount, currency, interval). Throws NOT_FOUND, and INVALID_STATE for archiving the
 * default or making an archived price the default.
 */
export function updateProductPlanPrice(
  world: { database: Database },
  request: { scope: Scope; planId: string; priceId: string; input: UpdatePriceInput },
): Promise<ProductPlanPrice> {
  return transaction(world.database, async (tx) => {
    const price = await lockPrice(tx, request);
    const isActive = request.input.isActive ?? price.isActive;
    const isDefault = request.input.isDefault ?? price.isDefault;
    if (isDefault && !isActive) {
      throw new GatewayError(
        'INVALID_STATE',
        'The default price of a plan cannot be archived. Make another price the default first.',
      );
    }
    if (request.input.isDefault) {
      await tx.productPlanPrice.updateMany({
        where: { productPlanId: price.productPlanId, isDefault: true },
        data: { isDefault: false },
      });
    }
    const data: Prisma.ProductPlanPriceUncheckedUpdateInput = request.input;
    const updated = await tx.productPlanPrice.update({ where: { id: price.id }, data });
    await recordChange(tx, {
      action: 'product_plan_price.updated',
      owner: { appId: price.productPlan.appId },
      target: { type: 'ProductPlanPrice', id: price.id },
      changed: changedFields(price, updated, Object.keys(request.input)),
    });
    return updated;
  });
}
