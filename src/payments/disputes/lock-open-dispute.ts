import type { DatabaseTransaction, Dispute } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { GatewayError, notFound } from '../../errors.ts';
import { lockPayment } from '../actions/lock-payment.ts';

/**
 * Locks the payment of a dispute, so that the dispute cannot be resolved before the transaction ends. Throws NOT_FOUND if the dispute
 * does not exist or is outside the scope, and INVALID_STATE unless it is OPEN.
 */
export async function lockOpenDispute(
  tx: DatabaseTransaction,
  { disputeId, scope }: { disputeId: string; scope: Scope },
): Promise<{ dispute: Dispute; appId: string }> {
  const found = await tx.dispute.findUnique({ where: { id: disputeId }, select: { paymentIntentId: true } });
  if (!found) throw notFound('dispute');
  const { appId } = await lockPayment(tx, { id: found.paymentIntentId, scope }).catch((error: unknown) => {
    throw error instanceof GatewayError && error.code === 'NOT_FOUND' ? notFound('dispute') : error;
  });
  // The status is read again under the lock, because a resolution or a reorganization may have come first.
  const dispute = await tx.dispute.findUnique({ where: { id: disputeId } });
  if (!dispute) throw notFound('dispute');
  requireOpen(dispute);
  return { dispute, appId };
}

/** Throws INVALID_STATE unless the dispute is OPEN. */
export function requireOpen({ status }: Pick<Dispute, 'status'>): void {
  if (status !== 'OPEN') {
    throw new GatewayError('INVALID_STATE', `The dispute is ${status} and accepts no further evidence.`);
  }
}
