/** Every query of the outgoing queue. Writes are compare-and-set on the status, because the pump's lock may be lost. */
import type {
  Database,
  DatabaseTransaction,
  OutgoingAttempt,
  OutgoingTransaction,
  Prisma,
} from '../../prisma/client.ts';
import { BATCH_PURPOSE } from './batches/batch.ts';
import { RELAY_SENDER } from './relay.ts';

export type OpenOutgoing = OutgoingTransaction & { attempts: OutgoingAttempt[] };
type Sender = { chainId: number; sender: string };

const MINED_LIMIT = 500;
/** More than ever wait for a lower nonce. Higher nonces are checked when these are used. */
const NONCES_LIMIT = 1_000n;

const withAttempts = {
  attempts: { orderBy: [{ nonce: 'asc' }, { createdAt: 'asc' }, { maxFeePerGasWei: 'asc' }] },
} satisfies Prisma.OutgoingTransactionInclude;

/**
 * Returns signed transactions that are not known to be in a block, in nonce order, with their attempts from first to last. There are only
 * as many as a sender may have in flight. They are sorted here, because Postgres would walk through all nonces of the sender to return
 * them in order.
 */
export async function unminedTransactions(database: Database, { chainId, sender }: Sender): Promise<OpenOutgoing[]> {
  const unmined = await database.outgoingTransaction.findMany({
    where: { chainId, sender, status: { in: ['SIGNED', 'SENT'] }, batchId: null },
    include: withAttempts,
  });
  return unmined.sort((left, right) => compare(left.nonce, right.nonce));
}

/**
 * Returns transactions in a block, oldest first: those that wait for the required depth, those that wait for finality in blocks up to
 * `upTo`, and those whose nonce is `unusedFrom` or above, which is free again on the chain. The latter include transactions that were
 * reported as failed, and final ones, because a chain that replaced a final block has removed them. They are read separately, because
 * Postgres would read all transactions of the sender for a condition that joins both.
 */
export async function minedTransactions(
  database: Database,
  { chainId, sender, upTo, unusedFrom }: Sender & { upTo: bigint; unusedFrom: bigint },
): Promise<OpenOutgoing[]> {
  const [waiting, freed] = await Promise.all([
    database.outgoingTransaction.findMany({
      where: {
        chainId,
        sender,
        batchId: null,
        status: 'MINED',
        OR: [{ confirmedAt: null }, { blockNumber: { lte: upTo } }],
      },
      orderBy: { blockNumber: 'asc' },
      take: MINED_LIMIT,
      include: withAttempts,
    }),
    database.outgoingTransaction.findMany({
      where: {
        chainId,
        sender,
        batchId: null,
        status: { in: ['MINED', 'FINAL', 'FAILED', 'CANCELLED'] },
        nonce: { gte: unusedFrom },
      },
      orderBy: { nonce: 'asc' },
      take: MINED_LIMIT,
      include: withAttempts,
    }),
  ]);
  const found = new Map([...waiting, ...freed].map((outgoing) => [outgoing.id, outgoing]));
  return [...found.values()].sort((left, right) => compare(left.blockNumber, right.blockNumber));
}

/** Null last. */
function compare(left: bigint | null, right: bigint | null): number {
  if (left === right) return 0;
  if (left === null) return 1;
  if (right === null) return -1;
  return left < right ? -1 : 1;
}

/** Returns the items of batches that are under way, in the order of their requests. */
export async function batchItems(
  database: Database,
  batchIds: readonly string[],
): Promise<Pick<OutgoingTransaction, 'id' | 'batchId' | 'purpose' | 'transactionId'>[]> {
  if (batchIds.length === 0) return [];
  return await database.outgoingTransaction.findMany({
    where: { batchId: { in: [...batchIds] }, status: 'SENT' },
    orderBy: { id: 'asc' },
    select: { id: true, batchId: true, purpose: true, transactionId: true },
  });
}

export async function queuedTransactions(
  database: Database,
  { chainId, sender, now, limit }: Sender & { now: Date; limit: number },
): Promise<OutgoingTransaction[]> {
  return await database.outgoingTransaction.findMany({
    where: { chainId, sender, status: 'QUEUED', OR: [{ notBefore: null }, { notBefore: { lte: now } }] },
    orderBy: { id: 'asc' },
    take: limit,
  });
}

/**
 * Assigns waiting relayed transactions to a sender key, oldest first. Other keys and processes skip the rows that this one is taking.
 */
export async function claimRelayed(
  database: Database,
  { chainId, sender, now, limit }: Sender & { now: Date; limit: number },
): Promise<void> {
  await database.$executeRaw`
    UPDATE outgoing_transaction SET sender = ${sender}, taken_at = ${now} WHERE id IN (
      SELECT id FROM outgoing_transaction
      WHERE chain_id = ${chainId} AND sender = ${RELAY_SENDER} AND status = 'QUEUED'
        AND (not_before IS NULL OR not_before <= ${now})
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}

/**
 * Returns the relayed transactions that a key has taken and not signed to the queue of all sender keys, including the items of its batches
 * that are not signed, which end. With `takenBefore`, only those that were taken before it.
 */
export async function releaseRelayed(
  database: Database,
  { chainId, sender }: Sender,
  { takenBefore }: { takenBefore?: Date } = {},
): Promise<void> {
  const before = takenBefore ?? null;
  await database.$executeRaw`
    WITH ended AS (
      UPDATE outgoing_transaction SET status = 'CANCELLED', error = 'Its key sends nothing now'
      WHERE chain_id = ${chainId} AND sender = ${sender} AND status = 'QUEUED' AND purpose LIKE ${`${BATCH_PURPOSE}%`}
        AND (${before}::timestamptz IS NULL OR taken_at < ${before}) RETURNING id)
    UPDATE outgoing_transaction SET status = 'QUEUED', sender = ${RELAY_SENDER}, batch_id = NULL
    WHERE chain_id = ${chainId} AND sender = ${sender} AND relayed AND (${before}::timestamptz IS NULL OR taken_at < ${before})
      AND (status = 'QUEUED' OR (status = 'SENT' AND batch_id IN (SELECT id FROM ended)))`;
}

/** Returns relayed transactions that a key has taken and will not send now to the queue of all sender keys. */
export async function releaseTaken(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await database.outgoingTransaction.updateMany({
    where: { id: { in: [...ids] }, relayed: true, status: 'QUEUED' },
    data: { sender: RELAY_SENDER },
  });
}

/** Returns every sender with pending transactions, for the timer. */
export async function sendersAtWork(database: Database, now: Date): Promise<Sender[]> {
  return await database.$queryRaw<Sender[]>`
    SELECT DISTINCT chain_id AS "chainId", sender FROM outgoing_transaction
    WHERE status IN ('SIGNED', 'SENT', 'MINED')
       OR (status = 'QUEUED' AND (not_before IS NULL OR not_before <= ${now}))`;
}

/** Returns how many transactions of one sender on one chain are ready to be sent. */
export async function countQueued(
  database: Database | DatabaseTransaction,
  { chainId, sender, now }: Sender & { now: Date },
): Promise<number> {
  return await database.outgoingTransaction.count({
    where: { chainId, sender, status: 'QUEUED', OR: [{ notBefore: null }, { notBefore: { lte: now } }] },
  });
}

/**
 * Marks every queued transaction of one sender on one chain as waiting for gas, because transactions are sent in the order of their
 * requests. A transaction that waits already keeps its start time.
 */
export async function markWithoutGas(
  database: Database,
  { chainId, sender, now }: Sender & { now: Date },
): Promise<void> {
  await database.outgoingTransaction.updateMany({
    where: { chainId, sender, status: 'QUEUED', waitsFor: null },
    data: { waitsFor: 'GAS', waitsSince: now },
  });
}

/** Marks signed transactions that a node refuses because their sender cannot pay for them. */
export async function markUnpaid(
  database: Database,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await database.outgoingTransaction.updateMany({
    where: { id: { in: [...ids] }, status: { in: ['SIGNED', 'SENT'] }, waitsFor: null },
    data: { waitsFor: 'GAS', waitsSince: now },
  });
}

/** Unmarks transactions that waited for gas and can be paid for now. The base fee may still delay them. */
export async function markWithGas(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await database.outgoingTransaction.updateMany({
    where: { id: { in: [...ids] }, status: 'QUEUED' },
    data: { waitsFor: null },
  });
}

/** Takes `count` nonces from `first` on for the sender. Returns false if another pump moved the counter. */
export async function takeNonces(
  tx: DatabaseTransaction,
  taking: { chainId: number; address: string; expected: bigint | null; first: bigint; count: number },
): Promise<boolean> {
  const { chainId, address, expected } = taking;
  const nextNonce = taking.first + BigInt(taking.count);
  if (expected === null) {
    const made = await tx.operatorNonce.createMany({ data: { chainId, address, nextNonce }, skipDuplicates: true });
    return made.count === 1;
  }
  const moved = await tx.operatorNonce.updateMany({
    where: { chainId, address, nextNonce: expected },
    data: { nextNonce },
  });
  return moved.count === 1;
}

export async function nextNonceOf(
  database: Database,
  { chainId, address }: { chainId: number; address: string },
): Promise<bigint | null> {
  const row = await database.operatorNonce.findUnique({ where: { chainId_address: { chainId, address } } });
  return row?.nextNonce ?? null;
}

/** Returns the lowest nonces from `from` on that were assigned or passed over and that no row has. */
export async function missingNonces(
  database: Database,
  { chainId, sender, from, limit }: Sender & { from: bigint; limit: number },
): Promise<bigint[]> {
  const rows = await database.$queryRaw<{ nonce: bigint }[]>`
    SELECT free.nonce FROM operator_nonce counter,
      generate_series(${from}::bigint, least(counter.next_nonce, ${from + NONCES_LIMIT}::bigint) - 1) AS free (nonce)
    WHERE counter.chain_id = ${chainId} AND counter.address = ${sender} AND NOT EXISTS (
      SELECT 1 FROM outgoing_transaction ours
      WHERE ours.chain_id = ${chainId} AND ours.sender = ${sender} AND ours.nonce = free.nonce)
    ORDER BY free.nonce LIMIT ${limit}`;
  return rows.map((row) => row.nonce);
}
