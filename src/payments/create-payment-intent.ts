import { type Database, type PaymentIntent, transaction } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { insertPaymentIntent } from './insert-payment-intent.ts';
import type { NewPaymentIntent, PaymentSource } from './new-payment-intent.ts';

/**
 * Makes an intent, CREATED until somebody pays or it expires; appends `payment_intent.created`.
 * With `idempotency` it is made once, and a later call gets the first answer. NOT_FOUND for a customer that is not of
 * the app, IDEMPOTENCY_MISMATCH and IDEMPOTENCY_IN_FLIGHT as `once` says.
 */
export async function createPaymentIntent(
  world: { database: Database; clock: Clock },
  request: {
    scope: { merchantId: string; appId: string };
    fields: NewPaymentIntent;
    source?: PaymentSource | null;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<PaymentIntent> {
  const { scope, fields, idempotency } = request;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, idempotency, async () => {
      const app = await tx.app.findFirst({ where: { id: scope.appId, merchantId: scope.merchantId } });
      if (!app) throw notFound('app', 'appId');
      if (fields.customerAccountId != null) {
        const customer = await tx.customerAccount.findFirst({
          where: { id: fields.customerAccountId, appId: app.id },
          select: { id: true },
        });
        if (!customer) throw notFound('customer', 'customerAccountId');
      }
      const { intent, created } = await insertPaymentIntent(tx, {
        app,
        fields,
        now: world.clock.now(),
        source: request.source ?? null,
      });
      await appendEvents(tx, app.id, [created]);
      return intent;
    }),
  );
  return result;
}
