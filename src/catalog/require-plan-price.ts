import type { Database, DatabaseTransaction, ProductPlan, ProductPlanPrice, TaxRate } from '../../prisma/client.ts';
import { invalid, notFound } from '../errors.ts';

export type PlanWithTaxRate = ProductPlan & { taxRate: TaxRate | null };
export type PlanAndPrice = { plan: PlanWithTaxRate; price: ProductPlanPrice | null };

/**
 * The app's active plan that a body refers to, with its price; null if it refers to none. `path` is the prefix of the field
 * names, such as "items[0].". Throws NOT_FOUND with `param`, and VALIDATION_ERROR for an archived plan or price or a price of
 * another plan.
 */
export async function requirePlanPrice(
  database: Database | DatabaseTransaction,
  request: {
    appId: string;
    productPlanId: string | null | undefined;
    productPlanPriceId: string | null | undefined;
    path?: string;
  },
): Promise<PlanAndPrice | null> {
  const planParam = `${request.path ?? ''}productPlanId`;
  const priceParam = `${request.path ?? ''}productPlanPriceId`;
  if (!request.productPlanId) {
    if (request.productPlanPriceId)
      throw invalid([{ param: planParam, message: 'is required with productPlanPriceId' }]);
    return null;
  }
  const plan = await database.productPlan.findFirst({
    where: { id: request.productPlanId, appId: request.appId },
    include: { taxRate: true },
  });
  if (!plan) throw notFound('product plan', planParam);
  if (!plan.isActive) throw invalid([{ param: planParam, message: 'is archived' }]);
  if (!request.productPlanPriceId) return { plan, price: null };
  const price = await database.productPlanPrice.findFirst({
    where: { id: request.productPlanPriceId, productPlan: { appId: request.appId } },
  });
  if (!price) throw notFound('price', priceParam);
  if (price.productPlanId !== plan.id) throw invalid([{ param: priceParam, message: 'is not a price of the plan' }]);
  if (!price.isActive) throw invalid([{ param: priceParam, message: 'is archived' }]);
  return { plan, price };
}
