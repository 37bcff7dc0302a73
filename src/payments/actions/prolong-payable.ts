import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { lockPayment } from './lock-payment.ts';

/**
 * The intent, from now on locked, while it can be paid, with time until `until` at least; null for one that has ended, where
 * a new one is needed. One whose time is over and that is not cancelled yet goes on: a payment of it may be on its way.
 * Throws INVALID_STATE, with `param`, for one that is paid; `name` is what the message calls it.
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
