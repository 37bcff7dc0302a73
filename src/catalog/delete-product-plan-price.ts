import { type Database, transaction } from '../../prisma/client.ts';
import { fieldsOf } from '../auth/audit/audit-entry.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import { priceFacts } from './create-product-plan.ts';
import { lockPrice } from './store.ts';

/**
 * Deletes a price, or archives it if a subscription, link, session or invoice refers to it. Throws NOT_FOUND, and INVALID_STATE
 * for the default price.
 */
export async function deleteProductPlanPrice(
  world: { database: Database },
  request: { scope: Scope; planId: string; priceId: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    const price = await lockPrice(tx, request);
    if (price.isDefault) {
      throw new GatewayError(
        'INVALID_STATE',
        'The default price of a plan cannot be deleted. Make another price the default first.',
      );
    }
    const used = await tx.productPlanPrice.findFirst({
      where: {
        id: price.id,
        OR: [
          { subscriptions: { some: {} } },
          { nextSubscriptions: { some: {} } },
          { paymentLinks: { some: {} } },
          { sessionItems: { some: {} } },
          { invoiceItems: { some: {} } },
        ],
      },
    });
    if (used) await tx.productPlanPrice.update({ where: { id: price.id }, data: { isActive: false } });
    else await tx.productPlanPrice.delete({ where: { id: price.id } });
    const before = fieldsOf(price, ['productPlanId', ...priceFacts]);
    await recordAction(tx, {
      action: used ? 'product_plan_price.archived' : 'product_plan_price.deleted',
      owner: { appId: price.productPlan.appId },
      target: { type: 'ProductPlanPrice', id: price.id },
      before,
      after: used ? { ...before, isActive: false } : undefined,
    });
  });
}
