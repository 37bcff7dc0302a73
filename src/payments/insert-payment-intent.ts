import type { DatabaseTransaction, PaymentIntent, Prisma } from '../../prisma/client.ts';
import type { NewEvent } from '../events/append-events.ts';
import {
  type IntentSettings,
  type NewPaymentIntent,
  newPaymentIntentRow,
  type PaymentSource,
  type SubmittedCall,
} from './new-payment-intent.ts';
import { paymentIntentFields } from './payment-intent-fields.ts';

/**
 * Inserts a new intent in the caller's transaction and copies the app's settings into it. The caller has checked everything that
 * the intent refers to and appends `created` (`payment_intent.created`) as the transaction's last statement.
 */
export async function insertPaymentIntent(
  tx: DatabaseTransaction,
  request: {
    app: IntentSettings;
    fields: NewPaymentIntent;
    now: Date;
    source?: PaymentSource | null;
    expiresAt?: Date | null;
    x402?: SubmittedCall | null;
  },
): Promise<{ intent: PaymentIntent; created: NewEvent }> {
  const data: Prisma.PaymentIntentUncheckedCreateInput = newPaymentIntentRow(request);
  const intent = await tx.paymentIntent.create({ data });
  return { intent, created: intentCreated(intent) };
}

/** The `payment_intent.created` event of a new intent. */
export function intentCreated(intent: PaymentIntent): NewEvent {
  return { type: 'payment_intent.created', resourceId: intent.id, data: paymentIntentFields(intent) };
}
