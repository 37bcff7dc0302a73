import type { DatabaseTransaction, SubscriptionConsent } from '../../../prisma/client.ts';
import { moveSubscriptionRedemption } from '../../catalog/coupons/subscription-redemption.ts';
import { checkoutSessionFields } from '../../checkout/checkout-session.ts';
import { sellStock } from '../../checkout/links/link-stock.ts';
import { inOrder, lockSession } from '../../checkout/store.ts';
import type { Config } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { appendEvents } from '../../events/append-events.ts';
import { consentPeriodStart } from '../charge/consent-period.ts';
import { watchRenewal } from '../forecast/watch-renewal.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import type { SubscriptionWithPrice } from '../store.ts';
import { nextSubscriptionStatus } from '../subscription.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { authorizationColumns, consentKey, linkSigner } from './accepted-consent.ts';

const DAY_MS = 86_400_000;

/**
 * Starts a trial, or the first period of a metered price without a base fee: records the consent, sets the subscription to ACTIVE and
 * its session to COMPLETE, and schedules the first charge for the end of the trial, from which periods are counted, or of the first
 * period. A coupon is redeemed, and begins with that charge. The caller holds the subscription's lock. Appends
 * `subscription.activated` and `checkout_session.completed` as the last statement.
 */
export async function startTrial(
  tx: DatabaseTransaction,
  request: {
    row: SubscriptionConsent;
    subscription: SubscriptionWithPrice;
    sessionId: string;
    now: Date;
    config: Pick<Config, 'publicUrl'>;
  },
): Promise<void> {
  const { row, subscription, sessionId, now } = request;
  const status = nextSubscriptionStatus(subscription.status, 'ACTIVATE');
  if (!status) throw new GatewayError('INVALID_STATE', `The subscription is ${subscription.status}.`);
  await lockSession(tx, sessionId);
  await tx.subscriptionConsent.update({ where: consentKey(row), data: { acceptedAt: now } });
  const customerWalletId = await linkSigner(tx, { row, customerAccountId: subscription.customerAccountId, now });
  const dates = firstDates(row, subscription);
  const pendingJobId = await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt: dates.currentPeriodEnd });
  await watchRenewal(tx, { subscriptionId: subscription.id, dueAt: dates.currentPeriodEnd, after: now });
  const active = await tx.subscription.update({
    where: { id: subscription.id },
    data: {
      status,
      ...authorizationColumns(row),
      customerWalletId,
      ...dates,
      pendingJobId,
    },
  });
  const session = await tx.checkoutSession.update({
    where: { id: sessionId },
    data: { status: 'COMPLETE', completedAt: now },
    include: inOrder,
  });
  await moveSubscriptionRedemption(tx, { subscriptionId: active.id, to: 'REDEEMED' });
  const { publicUrl } = request.config;
  const ofLink = await sellStock(tx, { session, publicUrl });
  await appendEvents(tx, active.appId, [
    ...ofLink,
    { type: 'subscription.activated', resourceId: active.id, data: subscriptionFields(active) },
    {
      type: 'checkout_session.completed',
      resourceId: session.id,
      data: checkoutSessionFields(session, publicUrl),
    },
  ]);
}

/** The trial is the first period. Without a trial, the first period of the consent is, whose usage is charged at its end. */
function firstDates(row: SubscriptionConsent, subscription: SubscriptionWithPrice) {
  const consent = consentFromJson(row.consent);
  const start = new Date(consent.start * 1000);
  const trialDays = subscription.productPlanPrice.trialPeriodDays ?? 0;
  if (trialDays === 0) {
    return { currentPeriodStart: start, currentPeriodEnd: consentPeriodStart(consent, 1), billingCycleAnchor: start };
  }
  const trialStart = new Date(start.getTime() - trialDays * DAY_MS);
  return {
    trialStart,
    trialEnd: start,
    currentPeriodStart: trialStart,
    currentPeriodEnd: start,
    billingCycleAnchor: start,
  };
}
