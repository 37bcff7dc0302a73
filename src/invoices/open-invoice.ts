import type { Database, Invoice } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import { fieldsOf } from '../auth/audit/audit-entry.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError, notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { addJob } from '../platform/jobs.ts';
import { invoiceFields, invoiceNumber, nextInvoiceStatus } from './invoice.ts';
import { overdueInvoiceJob, overdueKey } from './jobs.ts';
import { lockInvoice } from './store.ts';

/**
 * Opens a draft with the app's next number; numbers have no gaps, because the counter's row is locked until the commit. The
 * invoice becomes PAST_DUE on its due date. Appends `invoice.opened`. Throws NOT_FOUND and INVALID_STATE.
 */
export async function openInvoice(
  world: { database: Database },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest },
): Promise<Invoice> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const found = await tx.invoice.findFirst({ where: { id: request.id, ...appScope(request.scope) } });
      if (!found) throw notFound('invoice');
      const locked = await lockInvoice(tx, found.id);
      const status = nextInvoiceStatus(locked.status, 'OPEN');
      if (!status)
        throw new GatewayError('INVALID_STATE', `The invoice is ${locked.status}. Only a DRAFT can be opened.`);
      const counter = await tx.invoiceCounter.upsert({
        where: { appId: locked.appId },
        create: { appId: locked.appId, lastNumber: 1 },
        update: { lastNumber: { increment: 1 } },
      });
      const invoice = await tx.invoice.update({
        where: { id: locked.id },
        data: { status, invoiceNumber: invoiceNumber(counter.lastNumber) },
      });
      if (invoice.dueDate) {
        const options = { runAt: invoice.dueDate, key: overdueKey(invoice.id) };
        await addJob(tx, overdueInvoiceJob, { invoiceId: invoice.id }, options);
      }
      await recordAction(tx, {
        action: 'invoice.opened',
        owner: { appId: invoice.appId },
        target: { type: 'Invoice', id: invoice.id },
        before: { status: locked.status, invoiceNumber: null },
        after: fieldsOf(invoice, ['status', 'invoiceNumber', 'total', 'currency', 'customerAccountId']),
      });
      await appendEvents(tx, invoice.appId, [
        { type: 'invoice.opened', resourceId: invoice.id, data: invoiceFields(invoice) },
      ]);
      return invoice;
    }),
  );
}
