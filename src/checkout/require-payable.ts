/** Whether a session still accepts a payment at a given time. */
import type { PaymentIntent } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import type { SessionToPay } from './store.ts';

/** Throws INVALID_STATE if the session or its intent is paid, and EXPIRED if the session or its intent has expired. */
export function requirePayable(session: SessionToPay, now: Date): void {
  if (session.status === 'COMPLETE') throw new GatewayError('INVALID_STATE', 'The checkout session is COMPLETE.');
  if (session.status === 'EXPIRED' || session.expiresAt <= now) {
    throw new GatewayError('EXPIRED', 'The checkout session has expired.');
  }
  const intent = session.paymentIntent;
  if (intent === null) return;
  requireUnpaid(intent);
  if (intent.expiresAt !== null && intent.expiresAt <= now) {
    throw new GatewayError('EXPIRED', 'The payment intent has expired.');
  }
}

/** Throws INVALID_STATE for an intent that is not CREATED any more, and for one that only its x402 payment can pay. */
export function requireUnpaid(intent: Pick<PaymentIntent, 'status' | 'x402Scheme'>): void {
  requireNoPaidCall(intent);
  if (intent.status === 'CREATED') return;
  throw new GatewayError(
    'INVALID_STATE',
    `The payment intent is ${intent.status}. Only a CREATED payment intent can be paid.`,
  );
}

/** Throws INVALID_STATE for the intent of an API call that is paid by x402. */
export function requireNoPaidCall(
  { x402Scheme }: Pick<PaymentIntent, 'x402Scheme'>,
  details: { param?: string } = {},
): void {
  if (x402Scheme === null) return;
  throw new GatewayError(
    'INVALID_STATE',
    'The payment intent belongs to an API call that is paid by x402. Only the authorization that was submitted for it can pay it.',
    details,
  );
}
