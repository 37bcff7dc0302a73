import { type DatabaseTransaction, type Invoice, transaction } from '../../../prisma/client.ts';
import { appendEvents } from '../../events/append-events.ts';
import { lockInvoice } from '../../invoices/store.ts';
import { lockPayment } from '../../payments/actions/lock-payment.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import { applyRenewalPayment } from './apply-renewal-payment.ts';
import type { RenewableSubscription, RenewalWorld } from './renewal-world.ts';
import { lockRenewable, paidStatuses } from './store.ts';

/**
 * Reacts to `payment_intent.captured`, `.settled` and `.reverted` of a renewal: its subscription is in the invoice's period
 * exactly while the payment is captured. Appends `invoice.paid` and `subscription.renewed`. Idempotent: it reads the intent
 * again. The first charge, which activates a subscription, is handled elsewhere.
 */
export async function followRenewalPayment(
  world: Pick<RenewalWorld, 'database' | 'clock'>,
  request: { paymentIntentId: string },
): Promise<void> {
  const found = await world.database.invoice.findUnique({
    where: { paymentIntentId: request.paymentIntentId },
    select: { id: true, subscriptionId: true },
  });
  const subscriptionId = found?.subscriptionId ?? null;
  if (!found || subscriptionId === null) return;
  await transaction(world.database, async (tx) => {
    const subscription = await lockRenewable(tx, subscriptionId);
    if (!subscription || subscription.status === 'PENDING') return;
    const invoice = await lockInvoice(tx, found.id);
    const intent = await lockPayment(tx, { id: request.paymentIntentId, scope: null });
    const now = world.clock.now();
    if (paidStatuses.has(intent.status)) {
      const events = await applyRenewalPayment(tx, { subscription, invoice, intent, now });
      await appendEvents(tx, subscription.appId, events);
    } else await takeBack(tx, { subscription, invoice, now });
  });
}

/** The payment was reverted: leaves the period and makes the charge pending again. */
async function takeBack(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; invoice: Invoice; now: Date },
): Promise<void> {
  const { subscription, invoice, now } = request;
  await tx.renewalAttempt.updateMany({
    where: { invoiceId: invoice.id, status: 'PAID' },
    data: { status: 'PENDING', endedAt: null },
  });
  const { periodStart } = invoice;
  if (periodStart === null || subscription.currentPeriodStart?.getTime() !== periodStart.getTime()) return;
  const before = await startBefore(tx, { subscription, periodStart });
  if (before === null) return;
  const pendingJobId =
    subscription.status === 'CANCELLED'
      ? null
      : await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt: now });
  await tx.subscription.update({
    where: { id: subscription.id },
    data: { currentPeriodStart: before, currentPeriodEnd: periodStart, pendingJobId },
  });
}

/** The start of the previous period; null for the first one, whose loss reverts the activation. */
async function startBefore(
  tx: DatabaseTransaction,
  { subscription, periodStart }: { subscription: RenewableSubscription; periodStart: Date },
): Promise<Date | null> {
  const previous = await tx.invoice.findFirst({
    where: { subscriptionId: subscription.id, periodStart: { lt: periodStart }, status: { in: ['PAID', 'VOID'] } },
    orderBy: { periodStart: 'desc' },
    select: { periodStart: true },
  });
  if (previous?.periodStart) return previous.periodStart;
  return subscription.trialEnd?.getTime() === periodStart.getTime() ? subscription.trialStart : null;
}
