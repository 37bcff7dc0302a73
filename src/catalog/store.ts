/** The queries of the catalogue. */
import type { DatabaseTransaction, ProductPlanPrice } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { notFound } from '../errors.ts';

/** Locks the plan's row until the commit, so that its prices keep exactly one default. */
export async function lockPlan(tx: DatabaseTransaction, planId: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM product_plan WHERE id = ${planId}::uuid FOR UPDATE`;
}

/** A price of one of the caller's plans, with the plan locked. Throws NOT_FOUND for either. */
export async function lockPrice(
  tx: DatabaseTransaction,
  request: { scope: Scope; planId: string; priceId: string },
): Promise<ProductPlanPrice & { productPlan: { appId: string } }> {
  const plan = await tx.productPlan.findFirst({ where: { id: request.planId, ...appScope(request.scope) } });
  if (!plan) throw notFound('product plan');
  await lockPlan(tx, plan.id);
  const price = await tx.productPlanPrice.findFirst({
    where: { id: request.priceId, productPlanId: plan.id, productPlan: appScope(request.scope) },
    include: { productPlan: { select: { appId: true } } },
  });
  if (!price) throw notFound('price');
  return price;
}
