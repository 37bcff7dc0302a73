import { Decimal } from 'decimal.js';
import type { Database, DatabaseTransaction, Invoice, PaymentIntent } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { readSelection } from '../chains/chain-selection.ts';
import { type SessionWithItems, sessionExpiry } from '../checkout/checkout-session.ts';
import { type NewCheckoutSession, openCheckoutSession } from '../checkout/open-checkout-session.ts';
import { GatewayError, invalid, notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import { prolongPayable } from '../payments/actions/prolong-payable.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { isCurrency } from '../prices/money.ts';
import { invoiceItems } from './invoice-items.ts';
import { lockInvoice } from './store.ts';

export type InvoiceSessionOptions = Partial<
  Pick<NewCheckoutSession, 'uiMode' | 'successUrl' | 'cancelUrl' | 'metadata'>
> & {
  expiresInMinutes?: number | null | undefined;
};

type Answer = { session: SessionWithItems; clientSecret: string };

/**
 * Opens a session that pays an invoice: with the invoice's intent if that can still be paid, extended to the session's expiry if
 * necessary, otherwise with a new one. Throws NOT_FOUND with `param`, and INVALID_STATE for an invoice that is not OPEN or
 * PAST_DUE, or whose payment is pending.
 */
export async function createInvoiceCheckout(
  world: { database: Database; clock: Clock },
  request: {
    scope: Scope;
    invoiceId: string;
    options: InvoiceSessionOptions;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<Answer> {
  const { idempotency, options } = request;
  const reveal = (answer: Answer) => ({ ...answer, clientSecret: unsealed(idempotency, answer.clientSecret) });
  const stored = await idempotently<Answer>(world.database, idempotency, (write) =>
    write(async (tx) => {
      const found = await tx.invoice.findFirst({ where: { id: request.invoiceId, ...appScope(request.scope) } });
      if (!found) throw notFound('invoice', 'invoiceId');
      const invoice = await lockInvoice(tx, found.id);
      const now = world.clock.now();
      const expiresAt = sessionExpiry(now, options.expiresInMinutes);
      const intent = await payableIntent(tx, { invoice, until: expiresAt });
      const session = await plan(tx, { invoice, intent, now, expiresAt, options });
      const opened = await openCheckoutSession(tx, session);
      if (opened.intent && opened.intent.id !== invoice.paymentIntentId) {
        await tx.invoice.update({ where: { id: invoice.id }, data: { paymentIntentId: opened.intent.id } });
      }
      await appendEvents(tx, invoice.appId, opened.events);
      return { session: opened.session, clientSecret: sealed(idempotency, opened.clientSecret) };
    }),
  );
  return reveal(stored);
}

async function payableIntent(
  tx: DatabaseTransaction,
  { invoice, until }: { invoice: Invoice; until: Date },
): Promise<PaymentIntent | null> {
  const param = 'invoiceId';
  if (invoice.status !== 'OPEN' && invoice.status !== 'PAST_DUE') {
    throw new GatewayError(
      'INVALID_STATE',
      `The invoice is ${invoice.status}. Only an OPEN or PAST_DUE invoice can be paid.`,
      {
        param,
      },
    );
  }
  if (invoice.paymentIntentId === null) return null;
  return await prolongPayable(tx, { id: invoice.paymentIntentId, until, name: "The invoice's payment", param });
}

async function plan(
  tx: DatabaseTransaction,
  request: {
    invoice: Invoice;
    intent: PaymentIntent | null;
    now: Date;
    expiresAt: Date;
    options: InvoiceSessionOptions;
  },
): Promise<NewCheckoutSession> {
  const { invoice, intent, now, expiresAt, options } = request;
  const app = await tx.app.findUniqueOrThrow({ where: { id: invoice.appId } });
  const items = await tx.invoiceItem.findMany({ where: { invoiceId: invoice.id }, orderBy: { position: 'asc' } });
  if (!isCurrency(invoice.currency)) throw invalid([{ param: 'currency', message: 'must be USD or EUR' }]);
  return {
    app,
    now,
    expiresAt,
    uiMode: options.uiMode,
    payment: intent ? { kind: 'existing', intent } : { kind: 'new', captureMode: 'AUTOMATIC' },
    source: { type: 'INVOICE', id: invoice.id },
    customerAccountId: invoice.customerAccountId,
    currency: invoice.currency,
    total: {
      subtotal: new Decimal(invoice.subtotal.toString()),
      taxAmount: new Decimal(invoice.taxAmount.toString()),
      total: new Decimal(invoice.total.toString()),
    },
    taxRateId: invoice.taxRateId,
    items: invoiceItems(items),
    selection: readSelection(invoice),
    successUrl: options.successUrl,
    cancelUrl: options.cancelUrl,
    metadata: options.metadata,
  };
}
