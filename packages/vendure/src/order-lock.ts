/** Vendure's rows, read and locked in the transaction of the request context. */
import { Order, Payment, type RequestContext, type TransactionalConnection, UserInputError } from '@vendure/core';

/**
 * Locks an order until the transaction of `ctx` ends, and returns it as it is now, without relations. Every change that the
 * plugin makes to an order begins with this lock, so that a webhook, a redirect and an administrator cannot pass each other.
 */
export async function lockOrder(
  ctx: RequestContext,
  connection: TransactionalConnection,
  key: { id: Order['id'] } | { code: string },
): Promise<Order | null> {
  const find = (isLocked: boolean) => {
    const query = connection.getRepository(ctx, Order).createQueryBuilder('locked');
    query.where('id' in key ? 'locked.id = :id' : 'locked.code = :code', key);
    return (isLocked ? query.setLock('pessimistic_write') : query).getOne();
  };
  try {
    return await find(true);
  } catch (error) {
    // SQLite has no row locks, and executes one transaction at a time.
    if (error instanceof Error && error.name === 'LockNotSupportedOnGivenDriverError') return await find(false);
    throw error;
  }
}

/** The payment of an order that was made by this payment intent, in any state. */
export function findPayment(
  ctx: RequestContext,
  connection: TransactionalConnection,
  { orderId, paymentIntentId }: { orderId: Order['id']; paymentIntentId: string },
): Promise<Payment | null> {
  return connection.getRepository(ctx, Payment).findOne({
    where: { order: { id: orderId }, transactionId: paymentIntentId },
    relations: ['refunds'],
  });
}

/**
 * Locks the payment's order, and throws if the payment changed after the caller had read it: saving it would overwrite what a
 * webhook has recorded in the meantime.
 */
export async function requireUnchanged(
  ctx: RequestContext,
  connection: TransactionalConnection,
  payment: Payment,
  order: Order,
): Promise<void> {
  await lockOrder(ctx, connection, { id: order.id });
  const current = await connection.getRepository(ctx, Payment).findOne({ where: { id: payment.id } });
  if (current?.state === payment.state) return;
  throw new UserInputError(`The payment has become ${current?.state} in the meantime. Reload the order.`);
}
