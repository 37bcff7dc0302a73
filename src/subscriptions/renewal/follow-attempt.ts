import type { DatabaseTransaction, RenewalAttempt } from '../../../prisma/client.ts';
import { appendByApp, appendEvents } from '../../events/append-events.ts';
import { lockInvoice } from '../../invoices/store.ts';
import { lockPayment } from '../../payments/actions/lock-payment.ts';
import { isAccepted } from '../../payments/payment-key.ts';
import { FOLLOW_MS, scheduleRenewal } from '../schedule-renewal.ts';
import { applyRenewalPayments } from './apply-renewal-payments.ts';
import { failRenewal } from './fail-renewal.ts';
import type { RenewableSubscription } from './renewal-world.ts';
import { chargeKey, openAttempt, paidStatuses } from './store.ts';

export type FailedCharge = { subscription: RenewableSubscription; attempt: RenewalAttempt; error: string | null };

/**
 * Checks the pending attempt of a subscription whose lock the caller holds: paid, still pending (checked again in a minute), or
 * failed for good. Writes nothing about a failed attempt but returns it, because its cause must first be read from the chain.
 */
export async function followAttempt(
  tx: DatabaseTransaction,
  { subscription, now }: { subscription: RenewableSubscription; now: Date },
): Promise<FailedCharge | null> {
  const attempt = await openAttempt(tx, subscription.id);
  const key = attempt && chargeKey(attempt);
  const terms = key && (await tx.paymentTerms.findUnique({ where: { chainId_termsHash: key } }));
  if (!attempt || !key || !terms) throw new Error(`Subscription ${subscription.id} has no charge that is under way.`);
  const invoice = await lockInvoice(tx, attempt.invoiceId);
  const intent = await lockPayment(tx, { id: terms.paymentIntentId, scope: null });
  const sent = await tx.transaction.findFirst({
    where: { ...key, type: 'AUTHORIZE' },
    orderBy: { id: 'desc' },
  });
  const counts = isAccepted(intent, key);
  if (counts && paidStatuses.has(intent.status)) {
    await appendByApp(tx, await applyRenewalPayments(tx, { payments: [{ subscription, invoice, intent }], now }));
    return null;
  }
  if (sent?.status === 'FAILED') return { subscription, attempt, error: sent.error };
  if (sent?.status === 'CONFIRMED' && !counts) {
    const message = 'The payment was cancelled or paid otherwise before its charge; the charge is given back.';
    const cause = { code: 'PAYMENT_CANCELLED', message } as const;
    await appendEvents(tx, subscription.appId, await failRenewal(tx, { subscription, invoice, attempt, cause, now }));
    return null;
  }
  const runAt = new Date(now.getTime() + FOLLOW_MS);
  const pendingJobId = await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt });
  await tx.subscription.update({ where: { id: subscription.id }, data: { pendingJobId } });
  return null;
}
