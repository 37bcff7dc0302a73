import type { PaymentIntent } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import type { EventType } from '../../events/event-type.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';

/** The event of a payment: its scalar fields as the API prints them. */
export function paymentEvent(type: EventType & `payment_intent.${string}`, intent: PaymentIntent): NewEvent {
  return { type, resourceId: intent.id, data: paymentIntentFields(intent) };
}
