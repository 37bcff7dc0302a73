import type { DatabaseTransaction, Invoice, RenewalAttempt, Subscription } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { nextInvoiceStatus } from '../../invoices/invoice.ts';
import { newId } from '../../platform/identifier.ts';
import { riskEvent } from '../forecast/tell-risk.ts';
import { PASSING_MS, scheduleRenewal } from '../schedule-renewal.ts';
import { nextSubscriptionStatus } from '../subscription.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { dropUnpaidInvoices } from './drop-unpaid-invoices.ts';
import { areRetriesSpent, retryRulesOf } from './dunning.ts';
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
 * makes subscription and invoice PAST_DUE. A failure that says nothing about the payer is retried soon and not counted. If the
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
  if (subscription.status !== 'ACTIVE' && subscription.status !== 'PAST_DUE') {
    const events = await dropUnpaidInvoices(tx, { subscription, now, trigger: 'VOID' });
    const cancelAt = subscription.status === 'PAUSED' ? subscription.cancelAt : null;
    const pendingJobId = await restingJob(tx, { subscription: { id: subscription.id, cancelAt }, now });
    await tx.subscription.update({ where: { id: subscription.id }, data: { pendingJobId } });
    return events;
  }
  if (!isCounted(cause.code)) {
    await lookAgain(tx, subscription, new Date(now.getTime() + PASSING_MS));
    return [];
  }
  return await countFailure(tx, failure);
}

async function recordAttempt(tx: DatabaseTransaction, failure: Failure): Promise<void> {
  const { subscription, invoice, attempt, cause, now } = failure;
  const ended = { status: 'FAILED', errorCode: cause.code, errorMessage: cause.message, endedAt: now } as const;
  if (attempt) await tx.renewalAttempt.update({ where: { id: attempt.id }, data: ended });
  else {
    await tx.renewalAttempt.create({
      data: { id: newId(), subscriptionId: subscription.id, invoiceId: invoice.id, createdAt: now, ...ended },
    });
  }
}

async function countFailure(tx: DatabaseTransaction, failure: Failure): Promise<NewEvent[]> {
  const { subscription, invoice, cause, now } = failure;
  const failures = subscription.captureRetryCount + 1;
  const retry = retryRulesOf(subscription.app);
  const isSpent = areRetriesSpent(failures, subscription.maxCaptureRetries, retry.steps);
  const pastDue = isSpent ? nextSubscriptionStatus(subscription.status, 'RETRIES_SPENT') : null;
  const counted = {
    captureRetryCount: failures,
    ...(pastDue === null ? {} : { status: pastDue, pastDueSince: now }),
  };
  const next = decideRenewal(
    {
      ...subscription,
      ...counted,
      retry,
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
  told: { invoice: Invoice; cause: RenewalCause; nextAttemptAt: Date; isPastDue: boolean },
): NewEvent[] {
  const { invoice, cause } = told;
  const data = {
    ...subscriptionFields(subscription),
    invoiceId: invoice.id,
    paymentIntentId: invoice.paymentIntentId,
    lastError: { code: cause.code, message: cause.message },
    nextAttemptAt: told.nextAttemptAt.toISOString(),
  };
  const failed: NewEvent = { type: 'subscription.payment_failed', resourceId: subscription.id, data };
  return told.isPastDue ? [failed, { type: 'subscription.past_due', resourceId: subscription.id, data }] : [failed];
}

async function lookAgain(tx: DatabaseTransaction, subscription: RenewableSubscription, runAt: Date): Promise<void> {
  if (subscription.status === 'CANCELLED') return;
  const pendingJobId = await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt });
  await tx.subscription.update({ where: { id: subscription.id }, data: { pendingJobId } });
}
