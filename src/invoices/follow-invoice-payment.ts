import { type Database, type PaymentIntentStatus, transaction } from '../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import { addJob } from '../platform/jobs.ts';
import { invoiceFields, nextInvoiceStatus } from './invoice.ts';
import { overdueInvoiceJob, overdueKey } from './jobs.ts';
import { lockInvoice } from './store.ts';

/** Statuses in which the merchant has or had the money; a payment refunded later still counts as paid. */
const paid: ReadonlySet<PaymentIntentStatus> = new Set(['CAPTURED', 'SETTLED', 'REFUND_PENDING', 'REFUNDED']);

type FollowingWorld = { database: Database; clock: Clock };

/** Calls `followInvoicePayment` for those of the intents whose invoice does not reflect their status yet. */
export async function followInvoicePayments(
  world: FollowingWorld,
  { paymentIntentIds }: { paymentIntentIds: readonly string[] },
): Promise<void> {
  const invoices = await world.database.invoice.findMany({
    where: { paymentIntentId: { in: [...paymentIntentIds] } },
    select: { status: true, paymentIntent: { select: { id: true, status: true } } },
  });
  for (const { status, paymentIntent: intent } of invoices) {
    if (!intent || (status === 'PAID') === paid.has(intent.status)) continue;
    await followInvoicePayment(world, { paymentIntentId: intent.id });
  }
}

/**
 * Reacts to `payment_intent.captured`, `.settled` and `.reverted`: the invoice that the intent pays is PAID exactly while its payment is
 * captured; for one that is OPEN again, the due date is checked again. Appends `invoice.paid`. Idempotent: it reads the intent again and
 * does only what has not been done.
 */
export async function followInvoicePayment(world: FollowingWorld, request: { paymentIntentId: string }): Promise<void> {
  const found = await world.database.invoice.findUnique({
    where: { paymentIntentId: request.paymentIntentId },
    select: { id: true },
  });
  if (!found) return;
  await transaction(world.database, async (tx) => {
    const invoice = await lockInvoice(tx, found.id);
    if (invoice.paymentIntentId !== request.paymentIntentId) return;
    const intent = await tx.paymentIntent.findUniqueOrThrow({ where: { id: request.paymentIntentId } });
    const isPaid = paid.has(intent.status);
    const status = nextInvoiceStatus(invoice.status, isPaid ? 'PAY' : 'UNPAY');
    if (!status) return;
    const paidAt = isPaid ? (intent.capturedAt ?? world.clock.now()) : null;
    const updated = await tx.invoice.update({ where: { id: invoice.id }, data: { status, paidAt } });
    const { dueDate, subscriptionId, usageReason } = updated;
    if (!isPaid && dueDate !== null && (subscriptionId === null || usageReason !== null)) {
      // The job for the due date found the invoice paid and did nothing.
      const options = { runAt: dueDate, key: overdueKey(updated.id) };
      await addJob(tx, overdueInvoiceJob, { invoiceId: updated.id }, options);
    }
    const events: NewEvent[] = isPaid
      ? [{ type: 'invoice.paid', resourceId: updated.id, data: invoiceFields(updated) }]
      : [];
    await appendEvents(tx, updated.appId, events);
  });
}
