import type { DatabaseTransaction, Transaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { PaymentKey } from '../payment-key.ts';
import { requestTransactions, type TransactionRequest } from './request-transaction.ts';

/**
 * Records the PENDING authorization of a payment that the payer has signed, and queues it to be sent. Runs in the caller's
 * transaction, which holds the intent's lock. Throws CONFLICT while an authorization of the intent is pending.
 */
export async function requestAuthorization(
  tx: DatabaseTransaction,
  request: Omit<TransactionRequest, 'type' | 'purpose'>,
): Promise<Transaction> {
  const [transaction] = await requestAuthorizations(tx, [request]);
  if (!transaction) throw new Error('An authorization was not recorded.');
  return transaction;
}

/** Records and queues the authorizations of several payments as `requestAuthorization` does. */
export async function requestAuthorizations(
  tx: DatabaseTransaction,
  requests: readonly Omit<TransactionRequest, 'type' | 'purpose'>[],
): Promise<Transaction[]> {
  const [pending] = await pendingAuthorizations(
    tx,
    requests.map(({ paymentIntentId }) => paymentIntentId),
  );
  if (pending !== undefined) {
    throw new GatewayError('CONFLICT', 'This payment is already pending. Wait for it.', {
      meta: { paymentIntentId: pending },
    });
  }
  const wanted = requests.map((request) => ({
    ...request,
    type: 'AUTHORIZE' as const,
    purpose: authorizationPurpose(request),
  }));
  return await requestTransactions(tx, wanted);
}

/** The payment intents, of those given, that have a PENDING authorization. */
export async function pendingAuthorizations(
  tx: DatabaseTransaction,
  paymentIntentIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.transaction.findMany({
    where: { paymentIntentId: { in: [...paymentIntentIds] }, type: 'AUTHORIZE', status: 'PENDING' },
    select: { paymentIntentId: true },
  });
  return new Set(rows.map((row) => row.paymentIntentId));
}

/** The outgoing transaction's purpose, which allows one authorization per set of terms. */
export function authorizationPurpose({ chainId, termsHash }: PaymentKey): string {
  return `authorize:${chainId}:${termsHash}`;
}
