import type { Subscription } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';

/**
 * Throws INVALID_STATE for a subscription whose coupon cannot change: a PENDING one, because its payer has been shown a price, and a
 * CANCELLED one.
 */
export function requireDiscountable({ status }: Pick<Subscription, 'status'>): void {
  if (status !== 'PENDING' && status !== 'CANCELLED') return;
  throw new GatewayError(
    'INVALID_STATE',
    `The subscription is ${status}. Only the coupon of an ACTIVE, PAUSED or PAST_DUE subscription can be changed.`,
  );
}
