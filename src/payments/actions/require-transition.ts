import type { PaymentIntent, PaymentIntentStatus } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { nextStatus, type PaymentIntentTrigger } from '../payment-intent.ts';

/**
 * Returns the status that the trigger leads to. Throws INVALID_STATE, naming both, if the trigger is not allowed, and for a payment whose
 * money never was in the escrow.
 */
export function requireTransition(intent: PaymentIntent, trigger: PaymentIntentTrigger): PaymentIntentStatus {
  if (intent.x402Scheme === 'exact') throw notInEscrow(intent);
  const next = nextStatus(intent.status, trigger);
  if (next !== null) return next;
  const word = trigger.toLowerCase().replaceAll('_', ' ');
  throw new GatewayError('INVALID_STATE', `The payment intent is ${intent.status}, which does not allow ${word}.`, {
    meta: { paymentIntentId: intent.id, status: intent.status },
  });
}

/** The error for actions that require a payment in the escrow. */
export function notInEscrow(intent: Pick<PaymentIntent, 'id' | 'status'>): GatewayError {
  const sentence =
    'The payment uses the x402 scheme exact: its money goes directly from the payer to the payout address and is never in the escrow. It cannot be captured, canceled, refunded or disputed here.';
  return new GatewayError('INVALID_STATE', sentence, { meta: { paymentIntentId: intent.id, status: intent.status } });
}
