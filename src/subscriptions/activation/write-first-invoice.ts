import type { DatabaseTransaction, PaymentIntent, SubscriptionConsent } from '../../../prisma/client.ts';
import { inOrder } from '../../checkout/store.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { invoiceFields, invoiceNumber } from '../../invoices/invoice.ts';
import { newId } from '../../platform/identifier.ts';
import type { Period } from '../billing-period.ts';
import { consumeCouponPeriods } from '../discount/subscription-discount.ts';
import type { SubscriptionWithPrice } from '../store.ts';

/**
 * Writes the PAID and numbered invoice of the period that the first charge has paid, with the lines of the session in which it
 * was paid. If a coupon reduced them, one of its periods is used up. An invoice that this payment had before a reorganization keeps its number and gets the period. Returns the events to
 * append: `invoice.opened` and `invoice.paid`. The caller holds the subscription's lock.
 */
export async function writeFirstInvoice(
  tx: DatabaseTransaction,
  request: {
    subscription: SubscriptionWithPrice;
    row: SubscriptionConsent;
    intent: PaymentIntent;
    period: Period;
    paidAt: Date;
  },
): Promise<NewEvent[]> {
  const { subscription, row, intent, period, paidAt } = request;
  const dates = { periodStart: period.start, periodEnd: period.end, dueDate: period.start };
  const known = await tx.invoice.findUnique({ where: { paymentIntentId: intent.id } });
  if (known) {
    // Whether it is paid is tracked by the invoices module.
    await tx.invoice.update({ where: { id: known.id }, data: dates });
    await consumeCouponPeriod(tx, { subscription, couponId: known.couponId });
    return [];
  }
  const session = await tx.checkoutSession.findUniqueOrThrow({
    where: { id: row.sessionId ?? '' },
    include: inOrder,
  });
  const counter = await tx.invoiceCounter.upsert({
    where: { appId: subscription.appId },
    create: { appId: subscription.appId, lastNumber: 1 },
    update: { lastNumber: { increment: 1 } },
  });
  const invoice = await tx.invoice.create({
    data: {
      id: newId(),
      appId: subscription.appId,
      customerAccountId: subscription.customerAccountId,
      subscriptionId: subscription.id,
      paymentIntentId: intent.id,
      invoiceNumber: invoiceNumber(counter.lastNumber),
      status: 'PAID',
      subtotal: session.subtotal,
      taxAmount: session.taxAmount,
      total: session.amount,
      discountAmount: session.discountAmount,
      couponId: session.couponId,
      currency: session.currency,
      taxRateId: session.taxRateId,
      ...dates,
      paidAt,
      allowedChains: subscription.allowedChains ?? 'ALL',
      allowedTokens: subscription.allowedTokens ?? 'ALL',
      items: {
        create: session.items.map((item) => ({
          id: newId(),
          position: item.position,
          description: item.name,
          amount: item.amount,
          currency: item.currency,
          quantity: item.quantity,
          taxAmount: item.taxAmount,
          discountAmount: item.discountAmount,
          taxRateId: session.taxRateId,
          productPlanId: item.productPlanId,
          productPlanPriceId: item.productPlanPriceId,
        })),
      },
    },
  });
  await consumeCouponPeriod(tx, { subscription, couponId: session.couponId });
  const opened = { ...invoice, status: 'OPEN', paidAt: null } as const;
  return [
    { type: 'invoice.opened', resourceId: invoice.id, data: invoiceFields(opened) },
    { type: 'invoice.paid', resourceId: invoice.id, data: invoiceFields(invoice) },
  ];
}

async function consumeCouponPeriod(
  tx: DatabaseTransaction,
  { subscription, couponId }: { subscription: SubscriptionWithPrice; couponId: string | null },
): Promise<void> {
  if (couponId !== null && couponId === subscription.couponId) await consumeCouponPeriods(tx, [subscription]);
}
