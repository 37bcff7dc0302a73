import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { notFound } from '../../errors.ts';

/**
 * Locks a payment's row until the transaction ends, and returns it. With a scope, throws NOT_FOUND for another merchant's payment
 * as if it did not exist; a null scope stands for the gateway itself.
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
