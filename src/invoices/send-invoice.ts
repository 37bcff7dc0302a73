import type { Database, Invoice } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError, notFound } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { addJob } from '../platform/jobs.ts';
import { mailInvoiceJob } from './jobs.ts';

/**
 * Queues an email of an invoice to its customer, with a link to pay it. The worker sends it, with retries. Throws NOT_FOUND, and
 * INVALID_STATE for an invoice that cannot be paid, or a customer without an email address.
 */
export async function sendInvoice(
  world: { database: Database },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest | undefined },
): Promise<Invoice> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const found = await tx.invoice.findFirst({
        where: { id: request.id, ...appScope(request.scope) },
        include: { customerAccount: true },
      });
      if (!found) throw notFound('invoice');
      const { customerAccount, ...invoice } = found;
      if (invoice.status !== 'OPEN' && invoice.status !== 'PAST_DUE') {
        throw new GatewayError(
          'INVALID_STATE',
          `The invoice is ${invoice.status}. Only an OPEN or PAST_DUE invoice can be sent.`,
        );
      }
      if (!customerAccount.email) throw new GatewayError('INVALID_STATE', 'The customer has no email address.');
      await addJob(tx, mailInvoiceJob, { invoiceId: invoice.id }, { key: `mail-invoice:${invoice.id}` });
      return invoice;
    }),
  );
}
