import { type Prisma, transaction } from '../../../prisma/client.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { RenewalWorld } from '../renewal/renewal-world.ts';
import { lockSubscription } from '../store.ts';
import { forecastOf } from './forecast-of.ts';
import { readOutlooks } from './read-outlooks.ts';
import { isWatched } from './renewal-forecast.ts';
import { reportRisk } from './report-risk.ts';
import { watchRenewal } from './watch-renewal.ts';

const forecastInclude = { consent: true, outlook: true } as const satisfies Prisma.SubscriptionInclude;

/**
 * Forecasts whether the next renewal of a subscription will be paid: reads the payer's wallet and evaluates it together with what
 * the indexer has seen. Appends `subscription.renewal_at_risk`, once per period, if the renewal is near and at risk. Schedules
 * the next check. Does nothing for a subscription that will not be renewed. Throws CHAIN_UNAVAILABLE and PRICE_UNAVAILABLE.
 */
export async function forecastNextRenewal(
  world: Pick<RenewalWorld, 'database' | 'clock' | 'registry' | 'nodes' | 'prices'>,
  { subscriptionId }: { subscriptionId: string },
): Promise<void> {
  const { database, clock } = world;
  const found = await database.subscription.findUnique({ where: { id: subscriptionId }, include: forecastInclude });
  if (!found || !isToBeRenewed(found) || !found.consent) return;
  if (isWatched(found.currentPeriodEnd, clock.now())) {
    await readOutlooks(world, { subscriptionId, chainId: found.consent.chainId });
  }
  await transaction(database, async (tx) => {
    await lockSubscription(tx, subscriptionId);
    const subscription = await tx.subscription.findUniqueOrThrow({
      where: { id: subscriptionId },
      include: forecastInclude,
    });
    const now = clock.now();
    if (!isToBeRenewed(subscription)) return;
    const dueAt = subscription.currentPeriodEnd;
    await watchRenewal(tx, { subscriptionId, dueAt, after: now });
    const forecast = forecastOf({ ...subscription, subscription, now });
    if (forecast === null || !isWatched(dueAt, now)) return;
    await appendEvents(tx, subscription.appId, await reportRisk(tx, { subscription, forecast }));
  });
}

function isToBeRenewed<Row extends { status: string; cancelAtPeriodEnd: boolean; currentPeriodEnd: Date | null }>(
  subscription: Row,
): subscription is Row & { currentPeriodEnd: Date } {
  return subscription.status === 'ACTIVE' && !subscription.cancelAtPeriodEnd && subscription.currentPeriodEnd !== null;
}
