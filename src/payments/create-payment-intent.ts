import type { Database, PaymentIntent } from '../../prisma/client.ts';
import { unguarded } from '../../prisma/guarded-database.ts';
import { notFound } from '../errors.ts';
import { announceEvents } from '../events/announcements.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotentBriefTransaction } from '../platform/idempotency/idempotent-brief-transaction.ts';
import { intentCreated } from './insert-payment-intent.ts';
import { type NewPaymentIntent, newPaymentIntentRow, type PaymentSource } from './new-payment-intent.ts';
import { type IntentGround, intentGround, intentInsertion } from './store.ts';

/**
 * Creates an intent and appends `payment_intent.created`. The intent stays CREATED until it is paid or expires. With
 * `idempotency`, a repeated call returns the first call's result. Throws NOT_FOUND if the customer does not belong to the app,
 * and IDEMPOTENCY_MISMATCH and IDEMPOTENCY_IN_FLIGHT as `idempotently` does.
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
  const { scope, fields, idempotency, source } = request;
  const customerAccountId = fields.customerAccountId ?? null;
  const { result, replayed } = await idempotentBriefTransaction<IntentGround, PaymentIntent>(
    world.database,
    idempotency,
    {
      reading: intentGround({ scope, customerAccountId }),
      write(app) {
        if (!app) throw notFound('app', 'appId');
        if (customerAccountId !== null && !app.hasCustomer) throw notFound('customer', 'customerAccountId');
        const intent = newPaymentIntentRow({ app, fields, now: world.clock.now(), source: source ?? null });
        const created = intentCreated(intent);
        return { result: intent, statement: (recorded) => intentInsertion({ intent, created, recorded }) };
      },
    },
  );
  if (!replayed) announceEvents(unguarded(world.database), scope.appId);
  return result;
}
