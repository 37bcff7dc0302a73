import { type Database, type Prisma, type ProductPlan, transaction } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import { changedFields } from '../auth/audit/audit-entry.ts';
import { recordChange } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { notFound } from '../errors.ts';
import type { UpdatePlanInput } from './product-plan.ts';
import { requireTaxRate } from './require-tax-rate.ts';

/** Updates a plan: absent fields stay unchanged, `null` clears. `{ isActive: false }` archives it. Throws NOT_FOUND. */
export function updateProductPlan(
  world: { database: Database },
  request: { scope: Scope; id: string; input: UpdatePlanInput },
): Promise<ProductPlan> {
  const { scope, input } = request;
  return transaction(world.database, async (tx) => {
    const found = await tx.productPlan.findFirst({ where: { id: request.id, ...appScope(scope) } });
    if (!found) throw notFound('product plan');
    if (input.taxRateId !== found.taxRateId) {
      await requireTaxRate(tx, { merchantId: scope.merchantId, id: input.taxRateId, param: 'taxRateId' });
    }
    const data: Prisma.ProductPlanUncheckedUpdateInput = input;
    const updated = await tx.productPlan.update({ where: { id: found.id }, data });
    await recordChange(tx, {
      action: 'product_plan.updated',
      owner: { appId: found.appId },
      target: { type: 'ProductPlan', id: found.id },
      changed: changedFields(found, updated, Object.keys(input)),
    });
    return updated;
  });
}
