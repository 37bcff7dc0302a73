import type { Database, DatabaseTransaction, Invoice } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { endUnpaidPayment } from '../checkout/expire-checkout-session.ts';
import { lockPaymentIntent } from '../checkout/store.ts';
import type { Config } from '../config/config.ts';
import { GatewayError, notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { lockForCouponPeriod, returnCouponPeriod } from './coupon-period.ts';
import { invoiceFields, nextInvoiceStatus } from './invoice.ts';
import { lockInvoice } from './store.ts';

/**
 * Voids an unpaid invoice; its number stays used. Its unpaid intent is cancelled and its sessions end with it, so that money that still
 * arrives is returned. A coupon that reduced it applies to one more invoice of the subscription. Appends `invoice.voided`,
 * `payment_intent.cancelled` and `checkout_session.expired`. Throws NOT_FOUND, and INVALID_STATE for a paid invoice or while its payment is
 * on chain.
 */
export async function voidInvoice(
  world: { database: Database; clock: Clock; config: Pick<Config, 'publicUrl'> },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest },
): Promise<Invoice> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const found = await tx.invoice.findFirst({ where: { id: request.id, ...appScope(request.scope) } });
      if (!found) throw notFound('invoice');
      await lockForCouponPeriod(tx, found);
      const locked = await lockInvoice(tx, found.id);
      const status = nextInvoiceStatus(locked.status, 'VOID');
      if (!status) throw new GatewayError('INVALID_STATE', `The invoice is ${locked.status} and cannot be voided.`);
      await recordAction(tx, {
        action: 'invoice.voided',
        owner: { appId: locked.appId },
        target: { type: 'Invoice', id: locked.id },
        before: { status: locked.status },
        after: { status },
      });
      await endPayment(tx, { invoice: locked, publicUrl: world.config.publicUrl });
      const invoice = await tx.invoice.update({
        where: { id: locked.id },
        data: { status, voidedAt: world.clock.now() },
      });
      await returnCouponPeriod(tx, invoice);
      await appendEvents(tx, invoice.appId, [
        { type: 'invoice.voided', resourceId: invoice.id, data: invoiceFields(invoice) },
      ]);
      return invoice;
    }),
  );
}

async function endPayment(
  tx: DatabaseTransaction,
  { invoice, publicUrl }: { invoice: Invoice; publicUrl: string },
): Promise<void> {
  if (invoice.paymentIntentId === null) return;
  await lockPaymentIntent(tx, invoice.paymentIntentId);
  const intent = await tx.paymentIntent.findUniqueOrThrow({ where: { id: invoice.paymentIntentId } });
  if (intent.status === 'CREATED') return await endUnpaidPayment(tx, { intent, publicUrl });
  if (intent.status === 'CANCELLED' || intent.status === 'FAILED' || intent.status === 'REFUNDED') return;
  throw new GatewayError('INVALID_STATE', `The invoice's payment is ${intent.status}: refund or cancel that first.`, {
    meta: { paymentIntentId: intent.id },
  });
}
