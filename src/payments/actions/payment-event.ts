import type { PaymentIntent } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import type { EventType } from '../../events/event-type.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';

/** An event of a payment, with its scalar fields as the API returns them. */
export function paymentEvent(type: EventType & `payment_intent.${string}`, intent: PaymentIntent): NewEvent {
  return { type, resourceId: intent.id, data: paymentIntentFields(intent) };
}
