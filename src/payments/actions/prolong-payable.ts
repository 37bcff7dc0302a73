import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { lockPayment } from './lock-payment.ts';

/**
 * Locks the intent and returns it with its expiry extended to `until` at least, if it can still be paid. Returns null for one
 * that has ended, so that a new one is needed. An expired intent that is not cancelled yet is extended as well, because a payment
 * for it may be pending. Throws INVALID_STATE, with `param`, if it is paid already; the message calls it `name`.
 */
export async function prolongPayable(
  tx: DatabaseTransaction,
  { id, until, name, param }: { id: string; until: Date; name: string; param?: string },
): Promise<PaymentIntent | null> {
  const intent = await lockPayment(tx, { id, scope: null });
  switch (intent.status) {
    case 'CREATED':
      if (intent.expiresAt === null || intent.expiresAt >= until) return intent;
      return await tx.paymentIntent.update({ where: { id }, data: { expiresAt: until } });
    case 'CANCELLED':
    case 'FAILED':
    case 'REFUNDED':
      return null;
    default:
      throw new GatewayError('INVALID_STATE', `${name} is ${intent.status}.`, { param });
  }
}
