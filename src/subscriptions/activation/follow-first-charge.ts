import {
  type DatabaseTransaction,
  type PaymentIntent,
  type SubscriptionConsent,
  transaction,
} from '../../../prisma/client.ts';
import { moveSubscriptionRedemption } from '../../catalog/coupons/subscription-redemption.ts';
import { refreshWalletJob } from '../../customers/jobs.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import { returnCouponPeriod } from '../../invoices/coupon-period.ts';
import type { ActionWorld } from '../../payments/actions/action-world.ts';
import { refundPaymentIntent } from '../../payments/actions/refund-payment-intent.ts';
import { acceptedKey } from '../../payments/payment-key.ts';
import { addJob } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { consentPeriodStart } from '../charge/consent-period.ts';
import { authorizationColumns, consentKey, linkSigner, noAuthorization } from '../consent/accepted-consent.ts';
import { watchRenewal } from '../forecast/watch-renewal.ts';
import { scheduleRenewal, unscheduleRenewal } from '../schedule-renewal.ts';
import { lockSubscription, type SubscriptionWithPrice } from '../store.ts';
import { nextSubscriptionStatus } from '../subscription.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { writeFirstInvoice } from './write-first-invoice.ts';

type FirstCharge = { row: SubscriptionConsent; intent: PaymentIntent };

/** Calls `followFirstCharge` for those of the intents that are the first charge of a consent. */
export async function followFirstCharges(
  world: ActionWorld & { log: Log },
  { paymentIntentIds }: { paymentIntentIds: readonly string[] },
): Promise<void> {
  const first = await world.database.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT quote.payment_intent_id AS id FROM quote
    JOIN subscription_consent consent ON consent.quote_id = quote.id
    WHERE quote.payment_intent_id = ANY(${[...paymentIntentIds]}::uuid[])`;
  for (const { id } of first) await followFirstCharge(world, { paymentIntentId: id });
}

/**
 * Reacts to `payment_intent.captured` and `.reverted` of a subscription's first charge.
 *
 * Captured: the subscription becomes ACTIVE with the consent that was charged, its coupon is redeemed, its periods are counted from the consent's start,
 * period 0 is invoiced and PAID, and the next charge is scheduled; appends `invoice.opened`, `invoice.paid` and
 * `subscription.activated`. A subscription that was cancelled in the meantime stays cancelled, with its paid invoice. If another
 * consent has already started the subscription, the charge is refunded, so that the period is not paid twice.
 *
 * Reverted: an ACTIVE subscription becomes PENDING again, without a consent.
 *
 * Idempotent: it reads the intent again. Charges of later periods are handled elsewhere.
 */
export async function followFirstCharge(
  world: ActionWorld & { log: Log },
  request: { paymentIntentId: string },
): Promise<void> {
  const found = await world.database.paymentIntent.findUnique({ where: { id: request.paymentIntentId } });
  if (found?.sourceType !== 'SUBSCRIPTION' || found.sourceId === null) return;
  const subscriptionId = found.sourceId;
  const second = await transaction(world.database, async (tx) => {
    const subscription = await lockSubscription(tx, subscriptionId);
    const intent = await tx.paymentIntent.findUniqueOrThrow({ where: { id: found.id } });
    if (intent.capturedAt === null) {
      await takeBack(tx, { subscription, intent });
      return null;
    }
    const row = await chargedConsent(tx, { subscription, intent });
    if (!row || row.acceptedAt !== null) return null;
    const begun = await tx.subscriptionConsent.count({ where: { subscriptionId, acceptedAt: { not: null } } });
    if (begun > 0) return intent;
    await activate(tx, { subscription, charge: { row, intent }, now: world.clock.now() });
    return null;
  });
  if (second) await giveBack(world, second);
}

/** Leaves an intent that is refunded or being refunded unchanged; a settled one can only be returned by the merchant. */
async function giveBack(world: ActionWorld & { log: Log }, intent: PaymentIntent): Promise<void> {
  if (intent.status === 'SETTLED') {
    world.log.warn({ paymentIntentId: intent.id }, 'A second first payment of a subscription was already settled.');
  }
  if (intent.status !== 'CAPTURED') return;
  const { id, appId } = intent;
  const { merchantId } = await world.database.app.findUniqueOrThrow({ where: { id: appId } });
  await refundPaymentIntent(world, { scope: { merchantId, appId }, id, reason: 'The first period was paid already.' });
}

/** The consent whose first charge the intent is; null for a later charge, which has its own quote. */
async function chargedConsent(
  tx: DatabaseTransaction,
  { subscription, intent }: { subscription: SubscriptionWithPrice; intent: PaymentIntent },
): Promise<SubscriptionConsent | null> {
  const key = acceptedKey(intent);
  if (key === null) return null;
  const { quoteId } = await tx.paymentTerms.findUniqueOrThrow({ where: { chainId_termsHash: key } });
  if (quoteId === null) return null;
  return await tx.subscriptionConsent.findFirst({ where: { quoteId, subscriptionId: subscription.id } });
}

async function activate(
  tx: DatabaseTransaction,
  request: { subscription: SubscriptionWithPrice; charge: FirstCharge; now: Date },
): Promise<void> {
  const { subscription, charge, now } = request;
  const { row, intent } = charge;
  const consent = consentFromJson(row.consent);
  const period = { start: consentPeriodStart(consent, 0), end: consentPeriodStart(consent, 1) };
  const paidAt = intent.capturedAt ?? now;
  const events: NewEvent[] = await writeFirstInvoice(tx, { subscription, row, intent, period, paidAt });
  await tx.subscriptionConsent.update({ where: consentKey(row), data: { acceptedAt: now } });
  await moveSubscriptionRedemption(tx, { subscriptionId: subscription.id, to: 'REDEEMED' });
  const status = nextSubscriptionStatus(subscription.status, 'ACTIVATE');
  if (status) {
    const active = await tx.subscription.update({
      where: { id: subscription.id },
      data: {
        status,
        ...authorizationColumns(row),
        customerWalletId: await linkSigner(tx, { row, customerAccountId: subscription.customerAccountId, now }),
        currentPeriodStart: period.start,
        currentPeriodEnd: period.end,
        billingCycleAnchor: period.start,
        pendingJobId: await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt: period.end }),
      },
    });
    await watchRenewal(tx, { subscriptionId: subscription.id, dueAt: period.end, after: now });
    events.push({ type: 'subscription.activated', resourceId: active.id, data: subscriptionFields(active) });
  }
  await appendEvents(tx, subscription.appId, events);
}

/** Undoes what a reverted payment started. The payment's `payment_intent.reverted` event reports it. */
async function takeBack(
  tx: DatabaseTransaction,
  { subscription, intent }: { subscription: SubscriptionWithPrice; intent: PaymentIntent },
): Promise<void> {
  const { authorizationChainId, consentId } = subscription;
  if (authorizationChainId === null || consentId === null) return;
  const row = await tx.subscriptionConsent.findUniqueOrThrow({
    where: consentKey({ chainId: authorizationChainId, consentId }),
  });
  const began = await tx.quote.count({ where: { id: row.quoteId, paymentIntentId: intent.id } });
  const status = nextSubscriptionStatus(subscription.status, 'ACTIVATION_REVERTED');
  if (began === 0 || !status) return;
  await tx.subscription.update({
    where: { id: subscription.id },
    data: {
      status,
      ...noAuthorization,
      currentPeriodStart: null,
      currentPeriodEnd: null,
      billingCycleAnchor: null,
      pendingJobId: await unscheduleRenewal(tx, subscription.id),
    },
  });
  const { chainId, walletAddress } = row;
  await tx.subscriptionConsent.update({ where: consentKey(row), data: { acceptedAt: null } });
  await moveSubscriptionRedemption(tx, { subscriptionId: subscription.id, to: 'HELD' });
  const invoice = await tx.invoice.findUnique({ where: { paymentIntentId: intent.id } });
  if (invoice) await returnCouponPeriod(tx, invoice);
  await addJob(tx, refreshWalletJob, { chainId, walletAddress });
}
