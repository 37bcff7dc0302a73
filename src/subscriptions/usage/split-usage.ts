import type { DatabaseTransaction, ProductPlanPrice } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import type { RenewableSubscription } from '../renewal/renewal-world.ts';
import { isInTrial } from './usage-period.ts';

/**
 * Divides the usage of the running period at a plan change that takes effect now: what was used until then is priced as before, and what
 * is used from then on at the next price. Both stay open for late events until the next invoice. The caller holds the subscription's lock.
 */
export async function splitUsage(
  tx: DatabaseTransaction,
  { subscription, next, now }: { subscription: RenewableSubscription; next: ProductPlanPrice; now: Date },
): Promise<void> {
  const { id: subscriptionId, productPlanPrice: price, currentPeriodStart } = subscription;
  if (currentPeriodStart === null) return;
  const fresh = (priceId: string, startsAt: Date) => ({
    id: newId(),
    subscriptionId,
    productPlanPriceId: priceId,
    startsAt,
    isFree: isInTrial(subscription, startsAt),
  });
  const known = await tx.usagePeriod.count({ where: { subscriptionId } });
  if (known === 0 && price.metering !== null) {
    await tx.usagePeriod.create({ data: fresh(price.id, currentPeriodStart) });
  }
  await tx.usagePeriod.updateMany({
    where: { subscriptionId, closedAt: null, endsAt: null, startsAt: { lt: now } },
    data: { endsAt: now },
  });
  if (next.metering === null) return;
  await tx.usagePeriod.createMany({ data: [fresh(next.id, now)], skipDuplicates: true });
}
