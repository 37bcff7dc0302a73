import type { Database, DatabaseTransaction, ProductPlanPrice } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';

/** The price at which a plan is sold if none is given. Throws INVALID_STATE if it has no active price. */
export async function defaultPrice(
  database: Database | DatabaseTransaction,
  productPlanId: string,
): Promise<ProductPlanPrice> {
  const price = await database.productPlanPrice.findFirst({
    where: { productPlanId, isActive: true },
    orderBy: [{ isDefault: 'desc' }, { sortOrder: 'asc' }],
  });
  if (price) return price;
  throw new GatewayError('INVALID_STATE', "The payment link's plan has no price.");
}
