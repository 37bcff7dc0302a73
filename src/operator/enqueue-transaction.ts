import type { DatabaseTransaction } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { addJob } from '../platform/jobs.ts';
import { tracedRequestId } from '../platform/request-trace.ts';
import { sendTransactionsJob } from './jobs.ts';
import { defaultMaxFailures } from './outgoing-transaction.ts';
import { RELAY_SENDER } from './relay.ts';

export type NewOutgoing = {
  chainId: number;
  /** Address of the key that sends it, or RELAY_SENDER if any sender key may. */
  sender: string;
  to: string;
  data: string;
  valueWei?: bigint;
  /** Unique. A second request with the same purpose returns the first transaction. */
  purpose: string;
  /** The payment's transaction row that it carries out. */
  transactionId?: string;
  /** Number of failed simulations after which it is abandoned. Defaults to 5. */
  maxFailures?: number;
  /** Maximum gas, for transactions that run foreign code. Defaults to the most that a transaction may use. */
  maxGas?: bigint;
  notBefore?: Date;
};

/**
 * Queues a transaction of one of the installation's keys in the caller's database transaction, and wakes the pump. Returns the id of
 * the outgoing row. If the purpose exists already, returns the id of its row and queues nothing.
 */
export async function enqueueTransaction(tx: DatabaseTransaction, outgoing: NewOutgoing): Promise<string> {
  const sender = outgoing.sender.toLowerCase();
  const id = newId();
  const written = await tx.outgoingTransaction.createMany({
    data: {
      id,
      chainId: outgoing.chainId,
      sender,
      relayed: sender === RELAY_SENDER,
      toAddress: outgoing.to,
      data: outgoing.data,
      valueWei: String(outgoing.valueWei ?? 0n),
      purpose: outgoing.purpose,
      transactionId: outgoing.transactionId ?? null,
      maxFailures: outgoing.maxFailures ?? defaultMaxFailures,
      maxGas: outgoing.maxGas ?? null,
      notBefore: outgoing.notBefore ?? null,
      requestId: tracedRequestId() ?? null,
    },
    skipDuplicates: true,
  });
  if (written.count === 0) {
    const existing = await tx.outgoingTransaction.findUniqueOrThrow({ where: { purpose: outgoing.purpose } });
    return existing.id;
  }
  await addJob(
    tx,
    sendTransactionsJob,
    { chainId: outgoing.chainId, sender },
    {
      key: `send:${outgoing.chainId}:${sender}`,
      ...(outgoing.notBefore === undefined ? {} : { runAt: outgoing.notBefore }),
    },
  );
  return id;
}
