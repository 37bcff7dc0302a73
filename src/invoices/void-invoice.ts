import { type Database, type Invoice, transaction } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError, notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { invoiceFields, nextInvoiceStatus } from './invoice.ts';
import { lockInvoice } from './store.ts';

/**
 * Voids an invoice that is not paid; its number stays used. A payment of it that is under way is judged by its own intent.
 * Appends `invoice.voided`. Throws NOT_FOUND, INVALID_STATE.
 */
export async function voidInvoice(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest },
): Promise<Invoice> {
  const first = await firstAnswer<Invoice>(world.database, request.idempotency);
  if (first) return first.result;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => {
      const found = await tx.invoice.findFirst({ where: { id: request.id, ...appScope(request.scope) } });
      if (!found) throw notFound('invoice');
      const locked = await lockInvoice(tx, found.id);
      const status = nextInvoiceStatus(locked.status, 'VOID');
      if (!status) throw new GatewayError('INVALID_STATE', `The invoice is ${locked.status} and cannot be voided.`);
      const invoice = await tx.invoice.update({
        where: { id: locked.id },
        data: { status, voidedAt: world.clock.now() },
      });
      await appendEvents(tx, invoice.appId, [
        { type: 'invoice.voided', resourceId: invoice.id, data: invoiceFields(invoice) },
      ]);
      return invoice;
    }),
  );
  return result;
}
