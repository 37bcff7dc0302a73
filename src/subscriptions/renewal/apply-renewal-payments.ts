import type { DatabaseTransaction, Invoice, PaymentIntent } from '../../../prisma/client.ts';
import { changes } from '../../../prisma/written-row.ts';
import type { NewEvent, OwnedEvents } from '../../events/append-events.ts';
import { invoiceFields, nextInvoiceStatus } from '../../invoices/invoice.ts';
import { acceptedKey } from '../../payments/payment-key.ts';
import { advanceSubscriptions } from './advance-subscriptions.ts';
import type { RenewableSubscription } from './renewal-world.ts';

/** An invoice of a period and the intent that paid it; the intent is null if nothing is to be paid. */
export type RenewalPayment = { subscription: RenewableSubscription; invoice: Invoice; intent: PaymentIntent | null };

type Applying = { payments: readonly RenewalPayment[]; now: Date };

/**
 * Records that periods' invoices are paid: by their charges, manually by the payer, or because nothing is to be paid. Marks the
 * attempts and the invoices PAID and advances the subscriptions, which must be distinct. The caller holds the locks of subscriptions
 * and invoices and appends the returned events. Idempotent.
 */
export async function applyRenewalPayments(
  tx: DatabaseTransaction,
  { payments, now }: Applying,
): Promise<OwnedEvents[]> {
  if (payments.length === 0) return [];
  await endAttempts(tx, { payments, now });
  const paid = await payInvoices(tx, { payments, now });
  const applied = payments.map(({ subscription, invoice }) => ({
    subscription,
    invoice: paid.get(invoice.id) ?? invoice,
  }));
  const renewed = await advanceSubscriptions(tx, applied);
  return applied.map(({ subscription, invoice }) => {
    const isPaid = paid.has(invoice.id);
    const events: NewEvent[] = isPaid
      ? [{ type: 'invoice.paid', resourceId: invoice.id, data: invoiceFields(invoice) }]
      : [];
    return { appId: subscription.appId, events: [...events, ...(renewed.get(subscription.id) ?? [])] };
  });
}

async function endAttempts(tx: DatabaseTransaction, { payments, now }: Applying): Promise<void> {
  const keys = payments.flatMap(({ subscription, intent }) => {
    const key = intent && acceptedKey(intent);
    return key ? [{ subscriptionId: subscription.id, ...key }] : [];
  });
  if (keys.length === 0) return;
  await tx.$executeRaw`
    UPDATE renewal_attempt attempt SET status = 'PAID', ended_at = ${now}, error_code = NULL, error_message = NULL
    FROM json_to_recordset(${JSON.stringify(keys)}::json) AS given("subscriptionId" uuid, "chainId" int, "termsHash" text)
    WHERE attempt.chain_id = given."chainId" AND attempt.terms_hash = given."termsHash"
      AND attempt.subscription_id = given."subscriptionId" AND attempt.status <> 'PAID'`;
}

const paidFields = ['status', 'paidAt', 'lastErrorCode', 'lastErrorMessage'] as const;

/** Marks the invoices PAID that may be, and returns them by id. */
async function payInvoices(tx: DatabaseTransaction, { payments, now }: Applying): Promise<Map<string, Invoice>> {
  const rows = payments
    .filter(({ invoice }) => nextInvoiceStatus(invoice.status, 'PAY') !== null)
    .map(({ invoice: { id }, intent }) => ({
      id,
      status: 'PAID' as const,
      paidAt: intent?.capturedAt ?? now,
      lastErrorCode: null,
      lastErrorMessage: null,
    }));
  if (rows.length === 0) return new Map();
  await tx.$executeRaw(changes<Invoice, (typeof paidFields)[number]>({ name: 'invoice' }, paidFields, rows));
  const invoices = await tx.invoice.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  return new Map(invoices.map((invoice) => [invoice.id, invoice]));
}
