import type { DatabaseTransaction, PaymentIntent, Prisma } from '../../prisma/client.ts';
import type { NewEvent } from '../events/append-events.ts';
import {
  type IntentSettings,
  type NewPaymentIntent,
  newPaymentIntentRow,
  type PaymentSource,
} from './new-payment-intent.ts';
import { paymentIntentFields } from './payment-intent-fields.ts';

/**
 * Writes a new intent in the caller's transaction, with the app's settings frozen into it. Everything it names has been
 * checked by the caller, who also appends `created` (`payment_intent.created`) as the transaction's last statement.
 */
export async function insertPaymentIntent(
  tx: DatabaseTransaction,
  request: {
    app: IntentSettings;
    fields: NewPaymentIntent;
    now: Date;
    source?: PaymentSource | null;
    expiresAt?: Date | null;
  },
): Promise<{ intent: PaymentIntent; created: NewEvent }> {
  const data: Prisma.PaymentIntentUncheckedCreateInput = newPaymentIntentRow(request);
  const intent = await tx.paymentIntent.create({ data });
  return { intent, created: intentCreated(intent) };
}

/** The event of a new intent. */
export function intentCreated(intent: PaymentIntent): NewEvent {
  return { type: 'payment_intent.created', resourceId: intent.id, data: paymentIntentFields(intent) };
}
