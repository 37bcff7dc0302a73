import { type Database, transaction } from '../../prisma/client.ts';
import type { Clock } from '../platform/clock.ts';
import { addJob } from '../platform/jobs.ts';
import { nextInvoiceStatus } from './invoice.ts';
import { overdueInvoiceJob, overdueKey } from './jobs.ts';
import { lockInvoice } from './store.ts';

/**
 * The job at an invoice's due date: an OPEN invoice becomes PAST_DUE and can still be paid. A renewal's invoice follows its
 * subscription instead. If it runs too early, it schedules itself again.
 */
export async function markInvoiceOverdue(
  world: { database: Database; clock: Clock },
  { invoiceId }: { invoiceId: string },
): Promise<void> {
  const found = await world.database.invoice.findUnique({ where: { id: invoiceId }, select: { id: true } });
  if (!found) return;
  await transaction(world.database, async (tx) => {
    const { dueDate, subscriptionId, usageReason, status } = await lockInvoice(tx, invoiceId);
    const isOfRenewal = subscriptionId !== null && usageReason === null;
    if (dueDate === null || isOfRenewal || status !== 'OPEN') return;
    if (dueDate > world.clock.now()) {
      await addJob(tx, overdueInvoiceJob, { invoiceId }, { runAt: dueDate, key: overdueKey(invoiceId) });
      return;
    }
    const next = nextInvoiceStatus(status, 'FAIL');
    if (next) await tx.invoice.update({ where: { id: invoiceId }, data: { status: next } });
  });
}
