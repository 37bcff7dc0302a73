import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { notFound } from '../../errors.ts';

/**
 * Locks a payment's row to the end of the transaction, and reads it. With a scope, a payment of anybody else is
 * NOT_FOUND as if it did not exist; null is the gateway itself.
 */
export async function lockPayment(
  tx: DatabaseTransaction,
  { id, scope }: { id: string; scope: Scope | null },
): Promise<PaymentIntent> {
  await tx.$queryRaw`SELECT id FROM payment_intent WHERE id = ${id}::uuid FOR UPDATE`;
  const intent = await tx.paymentIntent.findFirst({
    where: {
      id,
      ...(scope === null ? {} : { app: { merchantId: scope.merchantId } }),
      ...(scope?.appId ? { appId: scope.appId } : {}),
    },
  });
  if (!intent) throw notFound('payment intent');
  return intent;
}
