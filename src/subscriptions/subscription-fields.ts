/** The scalar fields of a subscription, as the API prints them and events carry them. */
import type { Subscription } from '../../prisma/client.ts';

export function subscriptionFields(subscription: Subscription) {
  const instant = (at: Date | null) => at?.toISOString() ?? null;
  return {
    id: subscription.id,
    appId: subscription.appId,
    customerAccountId: subscription.customerAccountId,
    productPlanId: subscription.productPlanId,
    productPlanPriceId: subscription.productPlanPriceId,
    nextPlanPriceId: subscription.nextPlanPriceId,
    status: subscription.status,
    customerWalletId: subscription.customerWalletId,
    authorizationMethod: subscription.authorizationMethod,
    authorizationChainId: subscription.authorizationChainId,
    authorizationTokenKey: subscription.authorizationTokenKey,
    permitSignature: subscription.permitSignature,
    permitDeadline: instant(subscription.permitDeadline),
    permitNonce: subscription.permitNonce,
    approvedAllowance: subscription.approvedAllowance?.toFixed(0) ?? null,
    currentPeriodStart: instant(subscription.currentPeriodStart),
    currentPeriodEnd: instant(subscription.currentPeriodEnd),
    billingCycleAnchor: instant(subscription.billingCycleAnchor),
    trialStart: instant(subscription.trialStart),
    trialEnd: instant(subscription.trialEnd),
    cancelAt: instant(subscription.cancelAt),
    cancelledAt: instant(subscription.cancelledAt),
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    pausedAt: instant(subscription.pausedAt),
    pastDueSince: instant(subscription.pastDueSince),
    captureRetryCount: subscription.captureRetryCount,
    maxCaptureRetries: subscription.maxCaptureRetries,
    pendingJobId: subscription.pendingJobId,
    allowedChains: subscription.allowedChains ?? 'ALL',
    allowedTokens: subscription.allowedTokens ?? 'ALL',
    metadata: subscription.metadata ?? {},
    createdAt: subscription.createdAt.toISOString(),
    updatedAt: subscription.updatedAt.toISOString(),
  };
}
