import type { DatabaseTransaction, Transaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { PaymentKey } from '../payment-key.ts';
import { requestTransaction, type TransactionRequest } from './request-transaction.ts';

/**
 * Records the PENDING authorization of a payment that the payer has signed, and queues it to be sent. Runs in the caller's
 * transaction, which holds the intent's lock. Throws CONFLICT while an authorization of the intent is pending.
 */
export async function requestAuthorization(
  tx: DatabaseTransaction,
  request: Omit<TransactionRequest, 'type' | 'purpose'>,
): Promise<Transaction> {
  const { paymentIntentId } = request;
  if ((await tx.transaction.count({ where: { paymentIntentId, type: 'AUTHORIZE', status: 'PENDING' } })) > 0) {
    throw new GatewayError('CONFLICT', 'This payment is under way already; wait for it.', {
      meta: { paymentIntentId },
    });
  }
  return await requestTransaction(tx, { ...request, type: 'AUTHORIZE', purpose: authorizationPurpose(request) });
}

/** The outgoing transaction's purpose, which allows one authorization per set of terms. */
export function authorizationPurpose({ chainId, termsHash }: PaymentKey): string {
  return `authorize:${chainId}:${termsHash}`;
}
