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
  const [id] = await enqueueTransactions(tx, [outgoing]);
  if (id === undefined) throw new Error('A transaction was not queued.');
  return id;
}

/** Queues several transactions as `enqueueTransaction` does, and returns the ids of their rows in order. */
export async function enqueueTransactions(tx: DatabaseTransaction, wanted: readonly NewOutgoing[]): Promise<string[]> {
  const rows = wanted.map(outgoingRow);
  const { count } = await tx.outgoingTransaction.createMany({ data: rows, skipDuplicates: true });
  const ids = count === rows.length ? rows.map((row) => row.id) : await idsByPurpose(tx, rows);
  const queued = rows.filter((row, index) => row.id === ids[index]);
  for (const wake of wakesOf(queued)) await addJob(tx, sendTransactionsJob, wake.payload, wake.options);
  return ids;
}

function outgoingRow(outgoing: NewOutgoing) {
  const sender = outgoing.sender.toLowerCase();
  return {
    id: newId(),
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
  };
}

type OutgoingRow = ReturnType<typeof outgoingRow>;

async function idsByPurpose(tx: DatabaseTransaction, rows: readonly OutgoingRow[]): Promise<string[]> {
  const known = await tx.outgoingTransaction.findMany({
    where: { purpose: { in: rows.map((row) => row.purpose) } },
    select: { id: true, purpose: true },
  });
  const ids = new Map(known.map(({ id, purpose }) => [purpose, id]));
  return rows.map((row) => ids.get(row.purpose) ?? row.id);
}

/** One job for each queue that received something, at the earliest instant at which something may be sent. */
function wakesOf(rows: readonly OutgoingRow[]) {
  const earliest = new Map<string, OutgoingRow>();
  for (const row of rows) {
    const key = `send:${row.chainId}:${row.sender}`;
    const known = earliest.get(key);
    if (!known || (known.notBefore !== null && (row.notBefore === null || row.notBefore < known.notBefore))) {
      earliest.set(key, row);
    }
  }
  return [...earliest].map(([key, { chainId, sender, notBefore }]) => ({
    payload: { chainId, sender },
    options: { key, ...(notBefore === null ? {} : { runAt: notBefore }) },
  }));
}
