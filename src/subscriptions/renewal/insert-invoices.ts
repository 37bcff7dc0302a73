import type { DatabaseTransaction, Invoice, Subscription, UsageInvoiceReason } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { invoiceFields, invoiceNumber } from '../../invoices/invoice.ts';
import { newId } from '../../platform/identifier.ts';
import { isDiscounted, type SubscriptionDiscount } from '../discount/subscription-discount.ts';
import type { RenewalBill } from './renewal-lines.ts';

/** A new invoice of a subscription before it has a number. */
export type InvoiceDraft = {
  id: string;
  subscription: Pick<
    Subscription,
    'id' | 'appId' | 'customerAccountId' | 'couponId' | 'allowedChains' | 'allowedTokens'
  > &
    SubscriptionDiscount;
  currency: string;
  bill: RenewalBill;
  paymentIntentId: string | null;
  dueDate: Date;
  /** Null for an invoice that charges usage only: its lines name their periods. */
  periodStart: Date | null;
  periodEnd: Date | null;
  createdAt: Date;
  usageReason?: UsageInvoiceReason;
  splitFromId?: string;
};

/**
 * Inserts the invoices with their apps' next numbers, which block other renewals of these apps until the commit and are therefore
 * taken as late as possible. Returns them by id.
 */
export async function insertInvoices(
  tx: DatabaseTransaction,
  drafts: readonly InvoiceDraft[],
): Promise<Map<string, Invoice>> {
  const numbers = await takeNumbers(tx, drafts);
  const invoices = await tx.invoice.createManyAndReturn({
    data: drafts.map(({ subscription, bill, ...columns }) => ({
      ...columns,
      appId: subscription.appId,
      customerAccountId: subscription.customerAccountId,
      subscriptionId: subscription.id,
      invoiceNumber: numbers.get(columns.id) ?? null,
      status: 'OPEN' as const,
      ...bill.total,
      discountAmount: bill.discountAmount,
      couponId: isDiscounted(subscription) ? subscription.couponId : null,
      taxRateId: bill.lines[0]?.taxRateId ?? null,
      allowedChains: subscription.allowedChains ?? 'ALL',
      allowedTokens: subscription.allowedTokens ?? 'ALL',
    })),
  });
  await tx.invoiceItem.createMany({
    data: drafts.flatMap(({ id: invoiceId, bill, currency }) =>
      bill.lines.map(({ taxed, usage, ...line }, position) => ({
        ...line,
        ...(usage === null ? {} : { usage }),
        id: newId(),
        invoiceId,
        position,
        currency,
        taxAmount: taxed.taxAmount,
      })),
    ),
  });
  return new Map(invoices.map((invoice) => [invoice.id, invoice]));
}

export function invoiceOpened(invoice: Invoice): NewEvent {
  return { type: 'invoice.opened', resourceId: invoice.id, data: invoiceFields(invoice) };
}

/** The numbers of the drafts by their ids, taken app by app in the order of the apps' ids. */
async function takeNumbers(tx: DatabaseTransaction, drafts: readonly InvoiceDraft[]): Promise<Map<string, string>> {
  const numbers = new Map<string, string>();
  for (const appId of [...new Set(drafts.map(({ subscription }) => subscription.appId))].sort()) {
    const ofApp = drafts.filter(({ subscription }) => subscription.appId === appId);
    const { lastNumber } = await tx.invoiceCounter.upsert({
      where: { appId },
      create: { appId, lastNumber: ofApp.length },
      update: { lastNumber: { increment: ofApp.length } },
    });
    const first = lastNumber - ofApp.length + 1;
    for (const [index, { id }] of ofApp.entries()) numbers.set(id, invoiceNumber(first + index));
  }
  return numbers;
}
