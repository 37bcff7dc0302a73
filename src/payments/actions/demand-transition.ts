import type { PaymentIntent, PaymentIntentStatus } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { nextStatus, type PaymentIntentTrigger } from '../payment-intent.ts';

/** Returns the status that the trigger leads to. Throws INVALID_STATE, naming both, if the trigger is not allowed. */
export function demandTransition(intent: PaymentIntent, trigger: PaymentIntentTrigger): PaymentIntentStatus {
  const next = nextStatus(intent.status, trigger);
  if (next !== null) return next;
  const word = trigger.toLowerCase().replaceAll('_', ' ');
  throw new GatewayError('INVALID_STATE', `The payment intent is ${intent.status}, which does not allow ${word}.`, {
    meta: { paymentIntentId: intent.id, status: intent.status },
  });
}
