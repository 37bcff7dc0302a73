/** The scalar fields of a subscription, as the API returns them and events carry them, and the conversion back. */
import { z } from 'zod';
import type { Subscription } from '../../prisma/client.ts';
import { printedDecimal, printedInstant, readPrinted } from '../events/printed-fields.ts';
import { subscriptionStatuses } from './subscription.ts';

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
    couponId: subscription.couponId,
    couponPeriodsLeft: subscription.couponPeriodsLeft,
    allowedChains: subscription.allowedChains ?? 'ALL',
    allowedTokens: subscription.allowedTokens ?? 'ALL',
    metadata: subscription.metadata ?? {},
    createdAt: subscription.createdAt.toISOString(),
    updatedAt: subscription.updatedAt.toISOString(),
  };
}

const text = z.string().nullable();
const instant = printedInstant.nullable();

/** The fields that change during the life of a subscription. */
const printed = z
  .object({
    productPlanId: z.string(),
    productPlanPriceId: z.string(),
    nextPlanPriceId: text,
    status: z.enum(subscriptionStatuses),
    customerWalletId: text,
    authorizationMethod: z.enum(['DIRECT', 'PERMIT', 'APPROVAL']).nullable(),
    authorizationChainId: z.int().nullable(),
    authorizationTokenKey: text,
    permitSignature: text,
    permitDeadline: instant,
    permitNonce: text,
    approvedAllowance: printedDecimal.nullable(),
    currentPeriodStart: instant,
    currentPeriodEnd: instant,
    billingCycleAnchor: instant,
    trialStart: instant,
    trialEnd: instant,
    cancelAt: instant,
    cancelledAt: instant,
    cancelAtPeriodEnd: z.boolean(),
    pausedAt: instant,
    pastDueSince: instant,
    captureRetryCount: z.int(),
    maxCaptureRetries: z.int(),
    pendingJobId: text,
    couponId: text,
    couponPeriodsLeft: z.int().nullable(),
    updatedAt: printedInstant,
  })
  .partial();

/** `subscription` as it was when the event payload `data` was printed. Fields missing from `data` keep their value. */
export function subscriptionAt(subscription: Subscription, data: Record<string, unknown>): Subscription {
  return { ...subscription, ...readPrinted(printed, data) };
}
