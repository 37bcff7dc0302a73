import type { DatabaseTransaction, Invoice, PaymentIntent } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { invoiceFields, nextInvoiceStatus } from '../../invoices/invoice.ts';
import { acceptedKey } from '../../payments/payment-key.ts';
import { advanceSubscription } from './advance-subscription.ts';
import type { RenewableSubscription } from './renewal-world.ts';

/**
 * A period's invoice is paid: by its charge, by the payer's own hand, or because nothing is to pay (`intent` null). The
 * attempt that did it is PAID, the invoice too, and the subscription moves on. The caller holds subscription and invoice
 * locked and appends what is answered. Idempotent.
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
