import type { DatabaseTransaction, Transaction, TransactionType } from '../../../prisma/client.ts';
import { enqueueTransaction } from '../../operator/enqueue-transaction.ts';
import { newId } from '../../platform/identifier.ts';
import { toDecimal } from '../../prices/base-units.ts';

/** A call of a contract, or a payout from a vault; `data` has the format of the chain family's pump. */
export type OutgoingCall = { to: string; data: string; value: bigint };

export type TransactionRequest = {
  paymentIntentId: string;
  chainId: number;
  termsHash: string;
  type: TransactionType;
  call: OutgoingCall;
  /** Base units; null if the type moves no known amount. */
  amount: bigint | null;
  sender: string;
  /** Unique; derived from the transaction's type and id by default. */
  purpose?: string;
  /** The number of failed simulations after which it is given up (default 5). */
  maxFailures?: number;
};

/** Records a PENDING transaction of a payment and queues it to be sent, in the caller's transaction. */
export async function requestTransaction(tx: DatabaseTransaction, request: TransactionRequest): Promise<Transaction> {
  const { paymentIntentId, chainId, termsHash, type, call, amount } = request;
  const transaction = await tx.transaction.create({
    data: {
      id: newId(),
      paymentIntentId,
      chainId,
      type,
      termsHash,
      amount: amount === null ? null : toDecimal(amount),
    },
  });
  await enqueueTransaction(tx, {
    chainId,
    sender: request.sender,
    to: call.to,
    data: call.data,
    valueWei: call.value,
    purpose: request.purpose ?? `${type.toLowerCase()}:${transaction.id}`,
    transactionId: transaction.id,
    ...(request.maxFailures === undefined ? {} : { maxFailures: request.maxFailures }),
  });
  return transaction;
}
