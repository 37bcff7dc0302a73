import { type DatabaseTransaction, type Invoice, transaction } from '../../../prisma/client.ts';
import { appendByApp } from '../../events/append-events.ts';
import { lockInvoices } from '../../invoices/store.ts';
import { lockIntents } from '../../payments/facts/lock-intents.ts';
import { scheduleRenewal } from '../schedule-renewal.ts';
import { applyRenewalPayments, type RenewalPayment } from './apply-renewal-payments.ts';
import type { RenewableSubscription, RenewalWorld } from './renewal-world.ts';
import { lockRenewables, paidStatuses } from './store.ts';

type Followed = { invoiceId: string; subscriptionId: string; paymentIntentId: string };

/**
 * Reacts to `payment_intent.captured`, `.settled` and `.reverted` of renewals: a subscription is in its invoice's period exactly
 * while the payment is captured. Appends `invoice.paid` and `subscription.renewed`. Idempotent: it reads the intents again. Ignores
 * intents that pay no renewal. The first charge, which activates a subscription, is handled elsewhere.
 */
export async function followRenewalPayments(
  world: Pick<RenewalWorld, 'database' | 'clock'>,
  { paymentIntentIds }: { paymentIntentIds: readonly string[] },
): Promise<void> {
  const found = await world.database.invoice.findMany({
    where: { paymentIntentId: { in: [...paymentIntentIds] }, subscriptionId: { not: null } },
    select: { id: true, subscriptionId: true, paymentIntentId: true },
    orderBy: { periodStart: 'asc' },
  });
  let waiting = found.flatMap(({ id: invoiceId, subscriptionId, paymentIntentId }) =>
    subscriptionId === null || paymentIntentId === null ? [] : [{ invoiceId, subscriptionId, paymentIntentId }],
  );
  while (waiting.length > 0) {
    // Two payments of one subscription are followed one after the other.
    const now = waiting.filter(
      ({ subscriptionId }, index) => waiting.findIndex((other) => other.subscriptionId === subscriptionId) === index,
    );
    await transaction(world.database, (tx) => follow(tx, world, now));
    waiting = waiting.filter((one) => !now.includes(one));
  }
}

async function follow(
  tx: DatabaseTransaction,
  world: Pick<RenewalWorld, 'clock'>,
  followed: readonly Followed[],
): Promise<void> {
  const subscriptions = await lockRenewables(
    tx,
    followed.map(({ subscriptionId }) => subscriptionId),
  );
  const known = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
  const invoices = await lockInvoices(
    tx,
    followed.map(({ invoiceId }) => invoiceId),
  );
  const intentIds = followed.map(({ paymentIntentId }) => paymentIntentId);
  await lockIntents(tx, intentIds);
  const rows = await tx.paymentIntent.findMany({ where: { id: { in: intentIds } } });
  const intents = new Map(rows.map((intent) => [intent.id, intent]));
  const now = world.clock.now();
  const payments: RenewalPayment[] = [];
  for (const { subscriptionId, invoiceId, paymentIntentId } of followed) {
    const subscription = known.get(subscriptionId);
    const [invoice, intent] = [invoices.get(invoiceId), intents.get(paymentIntentId)];
    if (!subscription || subscription.status === 'PENDING' || !invoice || !intent) continue;
    if (paidStatuses.has(intent.status)) payments.push({ subscription, invoice, intent });
    else await takeBack(tx, { subscription, invoice, now });
  }
  await appendByApp(tx, await applyRenewalPayments(tx, { payments, now }));
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
