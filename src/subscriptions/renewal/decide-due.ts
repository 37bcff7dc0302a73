import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { usageGraceMs } from '../usage/usage-period.ts';
import { retryRulesOf } from './dunning.ts';
import { uncountedCodes } from './renewal-cause.ts';
import { decideRenewal, type RenewalDecision } from './renewal-decision.ts';
import type { RenewableSubscription } from './renewal-world.ts';

/** What is due now for each of the subscriptions, whose locks the caller holds, by id. */
export async function decideDue(
  tx: DatabaseTransaction,
  { subscriptions, now }: { subscriptions: readonly RenewableSubscription[]; now: Date },
): Promise<Map<string, RenewalDecision>> {
  const pending = await tx.renewalAttempt.findMany({
    where: { subscriptionId: { in: subscriptions.map(({ id }) => id) }, status: 'PENDING' },
    select: { subscriptionId: true },
  });
  const underWay = new Set(pending.map((attempt) => attempt.subscriptionId));
  const lastFailed = await lastFailures(tx, subscriptions);
  return new Map(
    subscriptions.map((subscription) => {
      const state = {
        ...subscription,
        retry: retryRulesOf(subscription.app),
        usageGraceMs: usageGraceOf(subscription),
        isChargeUnderWay: underWay.has(subscription.id),
        lastFailedAt: lastFailed.get(subscription.id) ?? null,
      };
      return [subscription.id, decideRenewal(state, now)];
    }),
  );
}

/** How long the renewal waits for the last usage of its period, in milliseconds; 0 for a price that is not metered. */
export function usageGraceOf(subscription: RenewableSubscription): number {
  return subscription.productPlanPrice.metering === null ? 0 : usageGraceMs(subscription, subscription.app);
}

/** When the last attempt of each due invoice failed. Failures that were not counted do not affect the next retry. */
async function lastFailures(
  tx: DatabaseTransaction,
  subscriptions: readonly RenewableSubscription[],
): Promise<Map<string, Date | null>> {
  const ends = new Map(
    subscriptions.flatMap(({ id, captureRetryCount, currentPeriodEnd: end, consentId }) =>
      captureRetryCount === 0 || end === null ? [] : [[id, { end, consentId }] as const],
    ),
  );
  if (ends.size === 0) return new Map();
  const failures = await tx.renewalAttempt.findMany({
    where: {
      subscriptionId: { in: [...ends.keys()] },
      status: 'FAILED',
      errorCode: { notIn: [...uncountedCodes] },
      invoice: { periodStart: { gte: new Date(Math.min(...[...ends.values()].map(({ end }) => end.getTime()))) } },
    },
    orderBy: { id: 'asc' },
    select: { subscriptionId: true, consentId: true, endedAt: true, invoice: { select: { periodStart: true } } },
  });
  const last = new Map<string, Date | null>();
  for (const { subscriptionId, consentId, endedAt, invoice } of failures) {
    const { end, consentId: present } = ends.get(subscriptionId) ?? {};
    // A failure under a consent that was replaced since does not concern the present one.
    if (consentId !== null && consentId !== present) continue;
    if (end && invoice.periodStart && invoice.periodStart >= end) last.set(subscriptionId, endedAt);
  }
  return last;
}
