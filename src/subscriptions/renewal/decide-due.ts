import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { uncountedCodes } from './renewal-cause.ts';
import { decideRenewal, type RenewalDecision } from './renewal-decision.ts';
import type { RenewableSubscription } from './renewal-world.ts';
import { openAttempt } from './store.ts';

/** What is due now for a subscription whose lock the caller holds. */
export async function decideDue(
  tx: DatabaseTransaction,
  { subscription, now }: { subscription: RenewableSubscription; now: Date },
): Promise<RenewalDecision> {
  const { id, captureRetryCount, currentPeriodEnd } = subscription;
  const lastFailed =
    captureRetryCount === 0 || currentPeriodEnd === null
      ? null
      : await tx.renewalAttempt.findFirst({
          where: {
            subscriptionId: id,
            status: 'FAILED',
            // Failures that were not counted do not affect the next retry.
            errorCode: { notIn: [...uncountedCodes] },
            invoice: { periodStart: { gte: currentPeriodEnd } },
          },
          orderBy: { id: 'desc' },
          select: { endedAt: true },
        });
  return decideRenewal(
    {
      ...subscription,
      graceDays: subscription.app.subscriptionGraceDays,
      isChargeUnderWay: (await openAttempt(tx, id)) !== null,
      lastFailedAt: lastFailed?.endedAt ?? null,
    },
    now,
  );
}
