import { type Coupon, type Database, transaction } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import { changedFields } from '../../auth/audit/audit-entry.ts';
import { recordChange } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { notFound } from '../../errors.ts';
import type { UpdateCouponInput } from './coupon.ts';

/**
 * Changes the name and the limits of a coupon; sessions that redeem it keep their discount. `{ isActive: false }` archives it.
 * Throws NOT_FOUND.
 */
export function updateCoupon(
  world: { database: Database },
  request: { scope: Scope; id: string; input: UpdateCouponInput },
): Promise<Coupon> {
  const { input } = request;
  return transaction(world.database, async (tx) => {
    const found = await tx.coupon.findFirst({ where: { id: request.id, ...appScope(request.scope) } });
    if (!found) throw notFound('coupon');
    const updated = await tx.coupon.update({
      where: { id: found.id },
      data: {
        ...input,
        metadata: input.metadata === null ? {} : input.metadata,
      },
    });
    await recordChange(tx, {
      action: 'coupon.updated',
      owner: { appId: found.appId },
      target: { type: 'Coupon', id: found.id },
      changed: changedFields(found, updated, Object.keys(input)),
    });
    return updated;
  });
}
