import type { DatabaseTransaction, Transaction, TransactionType } from '../../../prisma/client.ts';
import { enqueueTransactions } from '../../operator/enqueue-transaction.ts';
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
  const [transaction] = await requestTransactions(tx, [request]);
  if (!transaction) throw new Error('A transaction was not recorded.');
  return transaction;
}

/** Records and queues several transactions as `requestTransaction` does. */
export async function requestTransactions(
  tx: DatabaseTransaction,
  requests: readonly TransactionRequest[],
): Promise<Transaction[]> {
  if (requests.length === 0) return [];
  const ids = requests.map(() => newId());
  const rows = await tx.transaction.createManyAndReturn({
    data: requests.map(({ paymentIntentId, chainId, type, termsHash, amount }, index) => ({
      id: ids[index] ?? newId(),
      paymentIntentId,
      chainId,
      type,
      termsHash,
      amount: amount === null ? null : toDecimal(amount),
    })),
  });
  const outgoing = requests.map(({ call, ...request }, index) => ({
    chainId: request.chainId,
    sender: request.sender,
    to: call.to,
    data: call.data,
    valueWei: call.value,
    purpose: request.purpose ?? `${request.type.toLowerCase()}:${ids[index]}`,
    ...(ids[index] === undefined ? {} : { transactionId: ids[index] }),
    ...(request.maxFailures === undefined ? {} : { maxFailures: request.maxFailures }),
  }));
  await enqueueTransactions(tx, outgoing);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
