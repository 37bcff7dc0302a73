import type { DatabaseTransaction, Invoice, RenewalAttempt, Subscription } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { nextInvoiceStatus } from '../../invoices/invoice.ts';
import { newId } from '../../platform/identifier.ts';
import { riskEvent } from '../forecast/report-risk.ts';
import { PASSING_MS, scheduleRenewal } from '../schedule-renewal.ts';
import { nextSubscriptionStatus } from '../subscription.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { endFinalUsage } from '../usage/final-usage.ts';
import { usageGraceOf } from './decide-due.ts';
import { dropUnpaidInvoices } from './drop-unpaid-invoices.ts';
import { areRetriesExhausted, retryRulesOf } from './dunning.ts';
import { isCounted, type RenewalCause } from './renewal-cause.ts';
import { decideRenewal } from './renewal-decision.ts';
import type { RenewableSubscription } from './renewal-world.ts';
import { restingJob } from './resting-job.ts';

type Failure = {
  subscription: RenewableSubscription;
  invoice: Invoice;
  /** The attempt that was pending; null if it failed before anything was sent. */
  attempt: RenewalAttempt | null;
  cause: RenewalCause;
  now: Date;
};

/**
 * Records a failed attempt to charge a renewal with its cause, counts it, and schedules the next one; the last allowed failure
 * makes subscription and invoice PAST_DUE. A failure that the payer did not cause is retried soon and not counted, and so is one of
 * a charge that was sent before the payer replaced the consent. If the
 * subscription was paused or cancelled in the meantime, its invoice is dropped instead; if the payer has paid the invoice in
 * another way, nothing is counted. The caller holds the locks of subscription and invoice and appends the returned events:
 * `subscription.renewal_at_risk` if no warning was given, `subscription.payment_failed` and `subscription.past_due`.
 */
export async function failRenewal(tx: DatabaseTransaction, failure: Failure): Promise<NewEvent[]> {
  const { subscription, invoice, cause, now } = failure;
  await recordAttempt(tx, failure);
  if (invoice.status === 'PAID') {
    await lookAgain(tx, subscription, now);
    return [];
  }
  await tx.invoice.update({
    where: { id: invoice.id },
    data: { lastErrorCode: cause.code, lastErrorMessage: cause.message },
  });
  if (invoice.usageReason === 'FINAL') return await failFinal(tx, failure);
  if (subscription.status !== 'ACTIVE' && subscription.status !== 'PAST_DUE') {
    const events = await dropUnpaidInvoices(tx, { subscription, now, trigger: 'VOID' });
    const wakeAt = subscription.status === 'PAUSED' ? subscription.cancelAt : finalUsageAt(subscription, now);
    const pendingJobId = await restingJob(tx, { subscriptionId: subscription.id, wakeAt, now });
    await tx.subscription.update({ where: { id: subscription.id }, data: { pendingJobId } });
    return events;
  }
  if (isOfReplacedConsent(failure)) {
    await lookAgain(tx, subscription, now);
    return [];
  }
  if (!isCounted(cause.code)) {
    await lookAgain(tx, subscription, new Date(now.getTime() + PASSING_MS));
    return [];
  }
  return await countFailure(tx, failure);
}

/** The payer has signed another consent since the charge was sent, so its failure does not concern the present one. */
function isOfReplacedConsent({ subscription, attempt }: Failure): boolean {
  return attempt !== null && attempt.consentId !== null && attempt.consentId !== subscription.consentId;
}

/** A final invoice is charged once. If the payer cannot cover it, it stays OPEN for the customer to pay. */
async function failFinal(tx: DatabaseTransaction, { subscription, invoice, cause, now }: Failure): Promise<NewEvent[]> {
  const { id: subscriptionId } = subscription;
  if (!isCounted(cause.code)) {
    const pendingJobId = await scheduleRenewal(tx, { subscriptionId, runAt: new Date(now.getTime() + PASSING_MS) });
    await tx.subscription.update({ where: { id: subscriptionId }, data: { pendingJobId } });
    return [];
  }
  await endFinalUsage(tx, subscriptionId);
  return failureEvents(subscription, { invoice, cause, nextAttemptAt: null, isPastDue: false });
}

async function recordAttempt(tx: DatabaseTransaction, failure: Failure): Promise<void> {
  const { subscription, invoice, attempt, cause, now } = failure;
  const ended = { status: 'FAILED', errorCode: cause.code, errorMessage: cause.message, endedAt: now } as const;
  if (attempt) await tx.renewalAttempt.update({ where: { id: attempt.id }, data: ended });
  else {
    await tx.renewalAttempt.create({
      data: {
        id: newId(),
        subscriptionId: subscription.id,
        invoiceId: invoice.id,
        consentId: subscription.consentId,
        createdAt: now,
        ...ended,
      },
    });
  }
}

async function countFailure(tx: DatabaseTransaction, failure: Failure): Promise<NewEvent[]> {
  const { subscription, invoice, cause, now } = failure;
  const failures = subscription.captureRetryCount + 1;
  const retry = retryRulesOf(subscription.app);
  const areExhausted = areRetriesExhausted(failures, subscription.maxCaptureRetries, retry.steps);
  const pastDue = areExhausted ? nextSubscriptionStatus(subscription.status, 'RETRIES_EXHAUSTED') : null;
  const counted = {
    captureRetryCount: failures,
    ...(pastDue === null ? {} : { status: pastDue, pastDueSince: now }),
  };
  const next = decideRenewal(
    {
      ...subscription,
      ...counted,
      retry,
      usageGraceMs: usageGraceOf(subscription),
      isChargeUnderWay: false,
      lastFailedAt: now,
    },
    now,
  );
  const nextAt = next.kind === 'WAIT' ? next.until : now;
  const pendingJobId = await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt: nextAt });
  const updated = await tx.subscription.update({
    where: { id: subscription.id },
    data: { ...counted, pendingJobId },
  });
  const invoiceStatus = pastDue === null ? null : nextInvoiceStatus(invoice.status, 'FAIL');
  if (invoiceStatus) await tx.invoice.update({ where: { id: invoice.id }, data: { status: invoiceStatus } });
  const risk = await riskEvent(tx, { subscription: updated, cause });
  return [...risk, ...failureEvents(updated, { invoice, cause, nextAttemptAt: nextAt, isPastDue: pastDue !== null })];
}

function failureEvents(
  subscription: Subscription,
  failure: { invoice: Invoice; cause: RenewalCause; nextAttemptAt: Date | null; isPastDue: boolean },
): NewEvent[] {
  const { invoice, cause } = failure;
  const data = {
    ...subscriptionFields(subscription),
    invoiceId: invoice.id,
    paymentIntentId: invoice.paymentIntentId,
    lastError: { code: cause.code, message: cause.message },
    nextAttemptAt: failure.nextAttemptAt?.toISOString() ?? null,
  };
  const failed: NewEvent = { type: 'subscription.payment_failed', resourceId: subscription.id, data };
  return failure.isPastDue ? [failed, { type: 'subscription.past_due', resourceId: subscription.id, data }] : [failed];
}

/** When the final usage of a subscription that has ended is billed, which may be due already. */
function finalUsageAt({ finalUsageDueAt }: RenewableSubscription, now: Date): Date | null {
  return finalUsageDueAt !== null && finalUsageDueAt < now ? now : finalUsageDueAt;
}

async function lookAgain(tx: DatabaseTransaction, subscription: RenewableSubscription, runAt: Date): Promise<void> {
  if (subscription.status === 'CANCELLED') return;
  const pendingJobId = await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt });
  await tx.subscription.update({ where: { id: subscription.id }, data: { pendingJobId } });
}
