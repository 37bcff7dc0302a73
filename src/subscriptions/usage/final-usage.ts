/** The last invoice of a metered subscription: the usage until it ended. */
import type { DatabaseTransaction, PaymentIntent, Subscription } from '../../../prisma/client.ts';
import { lockInvoices } from '../../invoices/store.ts';
import { intentCreated } from '../../payments/insert-payment-intent.ts';
import { newId } from '../../platform/identifier.ts';
import { afterInvoice, consumeCouponPeriods, nextDiscount } from '../discount/subscription-discount.ts';
import { type InvoiceDraft, insertInvoices, invoiceOpened } from '../renewal/insert-invoices.ts';
import { intentRow, type OpenedInvoice, withIntent } from '../renewal/open-renewal-invoices.ts';
import { billOfAdjustments, type RenewalBill } from '../renewal/renewal-lines.ts';
import type { RenewableSubscription } from '../renewal/renewal-world.ts';
import { unscheduleRenewal } from '../schedule-renewal.ts';
import type { SubscriptionWithPrice } from '../store.ts';
import type { SplitBill } from './above-cap.ts';
import { closeUsage } from './close-usage.ts';
import { noteAboveCap, openAboveCap, splitOf } from './open-above-cap.ts';
import type { CapRatesOf } from './read-cap-rates.ts';
import { usageEnd, usageGraceMs } from './usage-period.ts';

/**
 * When the usage of a subscription that ends now is billed: after the grace in which its last events are accepted. Null if there is
 * none to bill.
 */
export async function finalUsageDueAt(
  tx: DatabaseTransaction,
  { subscription, now }: { subscription: SubscriptionWithPrice; now: Date },
): Promise<Date | null> {
  const { id: subscriptionId, appId, currentPeriodStart, productPlanPrice } = subscription;
  if (currentPeriodStart === null) return null;
  const isMetered =
    productPlanPrice.metering !== null ||
    (await tx.usagePeriod.count({ where: { subscriptionId, closedAt: null } })) > 0;
  if (!isMetered) return null;
  const app = await tx.app.findUniqueOrThrow({ where: { id: appId }, select: { usageGraceSeconds: true } });
  const endedAt = usageEnd({ cancelAt: subscription.cancelAt, cancelledAt: now }) ?? now;
  return new Date(Math.max(now.getTime(), endedAt.getTime() + usageGraceMs(subscription, app)));
}

/** Whether the usage of a subscription that has ended is still to be billed or charged. */
export function hasFinalUsage({ status, finalUsageDueAt }: Pick<Subscription, 'status' | 'finalUsageDueAt'>): boolean {
  return status === 'CANCELLED' && finalUsageDueAt !== null;
}

type FinalDraft = {
  id: string;
  subscription: RenewableSubscription;
  sold: { price: { currency: string } };
  bill: RenewalBill;
  split: SplitBill | null;
};

/**
 * Opens the final invoices of subscriptions that have ended, whose locks the caller holds, or returns the open ones. They charge the
 * usage that no other invoice charges, reduced by a coupon that has not ended, and get payment intents. Where nothing is left to be charged, the subscription is done, and no
 * invoice is returned for it.
 */
export async function openFinalInvoices(
  tx: DatabaseTransaction,
  { subscriptions, rates, now }: { subscriptions: readonly RenewableSubscription[]; rates: CapRatesOf; now: Date },
): Promise<OpenedInvoice[]> {
  const opened: OpenedInvoice[] = [];
  for (const subscription of subscriptions) {
    const known = await tx.invoice.findFirst({
      where: { subscriptionId: subscription.id, usageReason: 'FINAL' },
      orderBy: { id: 'desc' },
      select: { id: true },
    });
    const invoice = known && (await lockInvoices(tx, [known.id])).get(known.id);
    const final = invoice
      ? await withIntent(tx, { subscription, invoice, now })
      : await openFinal(tx, { subscription, rates, now });
    if (final?.intent) opened.push(final);
    else await endFinalUsage(tx, subscription.id);
  }
  return opened;
}

async function openFinal(
  tx: DatabaseTransaction,
  { subscription, rates, now }: { subscription: RenewableSubscription; rates: CapRatesOf; now: Date },
): Promise<OpenedInvoice | null> {
  const { id: subscriptionId } = subscription;
  await closeUsage(tx, { closing: [{ subscription, until: usageEnd(subscription) ?? now, next: null }], now });
  const adjustments = await tx.subscriptionAdjustment.findMany({
    where: { subscriptionId, invoiceId: null },
    orderBy: { id: 'asc' },
  });
  const dueUsage = adjustments.filter(({ usage }) => usage !== null);
  const finalBill = billOfAdjustments(dueUsage, nextDiscount(subscription));
  if (finalBill.total.total.isZero()) return null;
  const split = splitOf(subscription, { bill: finalBill, rates });
  const draft: FinalDraft = {
    id: newId(),
    subscription,
    sold: { price: subscription.productPlanPrice },
    bill: split?.within ?? finalBill,
    split,
  };
  return await writeFinal(tx, { draft, adjustmentIds: dueUsage.map(({ id }) => id), now });
}

async function writeFinal(
  tx: DatabaseTransaction,
  { draft, adjustmentIds, now }: { draft: FinalDraft; adjustmentIds: string[]; now: Date },
): Promise<OpenedInvoice> {
  const { subscription, bill, sold } = draft;
  const { total } = bill.total;
  const { currency } = sold.price;
  const intent: PaymentIntent | null = total.isZero()
    ? null
    : await tx.paymentIntent.create({ data: intentRow({ subscription, total, currency, now }) });
  const splits = openAboveCap({ drafts: [draft], now });
  const final: InvoiceDraft = {
    id: draft.id,
    subscription,
    currency,
    bill,
    paymentIntentId: intent?.id ?? null,
    dueDate: now,
    periodStart: null,
    periodEnd: null,
    createdAt: now,
    usageReason: 'FINAL',
  };
  const invoices = await insertInvoices(tx, [final, ...splits.drafts]);
  const invoice = invoices.get(draft.id);
  if (!invoice) throw new Error(`Invoice ${draft.id} was not written.`);
  await tx.subscriptionAdjustment.updateMany({ where: { id: { in: adjustmentIds } }, data: { invoiceId: invoice.id } });
  await consumeCouponPeriods(tx, [subscription]);
  const events = [invoiceOpened(invoice), ...(intent ? [intentCreated(intent)] : [])];
  const further = await noteAboveCap(tx, { draft, invoice, splits, invoices, now });
  return { subscription: afterInvoice(subscription), invoice, intent, events: [...events, ...further] };
}

/** Nothing of the subscription is billed any more. */
export async function endFinalUsage(tx: DatabaseTransaction, id: string): Promise<void> {
  const pendingJobId = await unscheduleRenewal(tx, id);
  await tx.subscription.update({ where: { id }, data: { finalUsageDueAt: null, pendingJobId } });
}
