import type { DatabaseTransaction, Invoice, PaymentIntent } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { invoiceFields, nextInvoiceStatus } from '../../invoices/invoice.ts';
import { acceptedKey } from '../../payments/payment-key.ts';
import { advanceSubscription } from './advance-subscription.ts';
import type { RenewableSubscription } from './renewal-world.ts';

/**
 * Records that a period's invoice is paid: by its charge, manually by the payer, or because nothing is to be paid (`intent`
 * null). Marks the attempt and the invoice PAID and advances the subscription. The caller holds the locks of subscription and
 * invoice and appends the returned events. Idempotent.
 */
export async function applyRenewalPayment(
  tx: DatabaseTransaction,
  request: { subscription: RenewableSubscription; invoice: Invoice; intent: PaymentIntent | null; now: Date },
): Promise<NewEvent[]> {
  const { subscription, intent, now } = request;
  const key = intent && acceptedKey(intent);
  if (key) {
    await tx.renewalAttempt.updateMany({
      where: { subscriptionId: subscription.id, ...key, status: { not: 'PAID' } },
      data: { status: 'PAID', endedAt: now, errorCode: null, errorMessage: null },
    });
  }
  const status = nextInvoiceStatus(request.invoice.status, 'PAY');
  const invoice = status
    ? await tx.invoice.update({
        where: { id: request.invoice.id },
        data: { status, paidAt: intent?.capturedAt ?? now, lastErrorCode: null, lastErrorMessage: null },
      })
    : request.invoice;
  const paid: NewEvent[] = status
    ? [{ type: 'invoice.paid', resourceId: invoice.id, data: invoiceFields(invoice) }]
    : [];
  return [...paid, ...(await advanceSubscription(tx, { subscription, invoice }))];
}
