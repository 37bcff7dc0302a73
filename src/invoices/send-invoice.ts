import { type Database, type Invoice, transaction } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError, notFound } from '../errors.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
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
  const first = await firstAnswer<Invoice>(world.database, request.idempotency);
  if (first) return first.result;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => {
      const found = await tx.invoice.findFirst({
        where: { id: request.id, ...appScope(request.scope) },
        include: { customerAccount: true },
      });
      if (!found) throw notFound('invoice');
      const { customerAccount, ...invoice } = found;
      if (invoice.status !== 'OPEN' && invoice.status !== 'PAST_DUE') {
        throw new GatewayError(
          'INVALID_STATE',
          `The invoice is ${invoice.status}; only an OPEN or PAST_DUE one is sent.`,
        );
      }
      if (!customerAccount.email) throw new GatewayError('INVALID_STATE', 'The customer has no email.');
      await addJob(tx, mailInvoiceJob, { invoiceId: invoice.id }, { key: `mail-invoice:${invoice.id}` });
      return invoice;
    }),
  );
  return result;
}
