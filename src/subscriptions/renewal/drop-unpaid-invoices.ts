import type { DatabaseTransaction } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { returnCouponPeriod } from '../../invoices/coupon-period.ts';
import { type InvoiceTrigger, invoiceFields, nextInvoiceStatus } from '../../invoices/invoice.ts';
import { lockInvoice } from '../../invoices/store.ts';
import { expireJob } from '../../payments/jobs.ts';
import { addJob } from '../../platform/jobs.ts';

/**
 * Drops the unpaid invoices of a subscription whose lock the caller holds: they become VOID, or UNCOLLECTIBLE if they were given
 * up, and their payment intents expire. If an invoice is VOID, amounts owed for usage and by plan changes wait for another invoice, and
 * so does its discount. Invoices that charge usage only stay as they are. An invoice with a pending charge
 * or payment is left alone. Returns `invoice.voided` for the caller to append.
 */
export async function dropUnpaidInvoices(
  tx: DatabaseTransaction,
  request: { subscription: { id: string }; now: Date; trigger: Extract<InvoiceTrigger, 'VOID' | 'GIVE_UP'> },
): Promise<NewEvent[]> {
  const { subscription, now, trigger } = request;
  const unpaid = await tx.invoice.findMany({
    where: {
      subscriptionId: subscription.id,
      usageReason: null,
      status: { in: ['DRAFT', 'OPEN', 'PAST_DUE'] },
      renewalAttempts: { none: { status: 'PENDING' } },
      OR: [{ paymentIntentId: null }, { paymentIntent: { status: { in: ['CREATED', 'CANCELLED', 'FAILED'] } } }],
    },
    orderBy: { id: 'asc' },
    select: { id: true, paymentIntentId: true },
  });
  const events: NewEvent[] = [];
  for (const { id, paymentIntentId } of unpaid) {
    const invoice = await lockInvoice(tx, id);
    const status = nextInvoiceStatus(invoice.status, trigger) ?? nextInvoiceStatus(invoice.status, 'VOID');
    if (!status) continue;
    const isVoid = status === 'VOID';
    const row = await tx.invoice.update({ where: { id }, data: { status, ...(isVoid ? { voidedAt: now } : {}) } });
    if (isVoid) {
      await tx.subscriptionAdjustment.updateMany({ where: { invoiceId: id }, data: { invoiceId: null } });
      await returnCouponPeriod(tx, row);
      events.push({ type: 'invoice.voided', resourceId: row.id, data: invoiceFields(row) });
    }
    if (paymentIntentId !== null) await letExpire(tx, { paymentIntentId, now });
  }
  return events;
}

/** The intent expires like every unpaid one, once no authorization of it can arrive any more. */
async function letExpire(
  tx: DatabaseTransaction,
  { paymentIntentId, now }: { paymentIntentId: string; now: Date },
): Promise<void> {
  await tx.paymentIntent.updateMany({ where: { id: paymentIntentId, status: 'CREATED' }, data: { expiresAt: now } });
  await addJob(tx, expireJob, { paymentIntentId }, { runAt: now, key: `expire:${paymentIntentId}` });
}
