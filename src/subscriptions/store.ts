/** The queries of subscriptions. */
import type { Coupon, DatabaseTransaction, ProductPlanPrice, Subscription } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { notFound } from '../errors.ts';

export type SubscriptionWithPrice = Subscription & { productPlanPrice: ProductPlanPrice; coupon: Coupon | null };

/**
 * Locks the row of the caller's subscription, which is always the first lock, and returns it. Throws NOT_FOUND, with `param` if
 * the id came from a body.
 */
export async function lockOwnSubscription(
  tx: DatabaseTransaction,
  request: { scope: Scope; id: string; param?: string | undefined },
): Promise<SubscriptionWithPrice> {
  const found = await tx.subscription.findFirst({
    where: { id: request.id, ...appScope(request.scope) },
    select: { id: true },
  });
  if (!found) throw notFound('subscription', request.param);
  return lockSubscription(tx, found.id);
}

export async function lockSubscription(tx: DatabaseTransaction, id: string): Promise<SubscriptionWithPrice> {
  await tx.$queryRaw`SELECT id FROM subscription WHERE id = ${id}::uuid FOR UPDATE`;
  return tx.subscription.findUniqueOrThrow({ where: { id }, include: { productPlanPrice: true, coupon: true } });
}
