import { isHex, type TransactionReceipt } from 'viem';
import { type DatabaseTransaction, type OutgoingTransaction, transaction } from '../../../prisma/client.ts';
import { type BatchOutcome, decodeCall, readOutcomes } from '../../escrow/batch/batch-item.ts';
import { type OutgoingFailure, retryDelayMs } from '../outgoing-transaction.ts';
import { RELAY_SENDER } from '../relay.ts';
import type { SendingWorld } from '../sending-world.ts';
import { FAILED_IN_BATCH, isBatch } from './batch.ts';

/**
 * Concludes a batch that is in a block at the required depth and was not reverted: items whose calls succeeded are MINED, the others are
 * queued again, those that failed to be sent alone. Each item's share of the gas is the same.
 */
export async function concludeBatch(
  world: SendingWorld,
  { batch, receipt }: { batch: OutgoingTransaction; receipt: TransactionReceipt },
): Promise<void> {
  const { database, clock, hooks } = world;
  const { blockNumber, blockHash, txHash } = batch;
  const { calls, outcomes } = readBatch(batch, receipt);
  await transaction(database, async (tx) => {
    const confirmedAt = clock.now();
    const done = await tx.outgoingTransaction.updateMany({
      where: { id: batch.id, status: 'MINED', confirmedAt: null },
      data: { confirmedAt, error: null },
    });
    if (done.count !== 1) return;
    const items = await itemsOf(tx, batch);
    const outcomeOf = outcomesByItem(items, { calls, outcomes });
    const executed = items.filter((item) => outcomeOf.get(item) === 'DONE');
    const gasUsed = gasShare(receipt, calls.length);
    await tx.outgoingTransaction.updateMany({
      where: { id: { in: executed.map(({ id }) => id) } },
      data: { status: 'MINED', confirmedAt, error: null, txHash, blockNumber, blockHash, gasUsed },
    });
    await returnItems(tx, world, {
      items: items.filter((item) => outcomeOf.get(item) === 'FAILED'),
      error: FAILED_IN_BATCH,
    });
    await returnItems(tx, world, { items: items.filter((item) => outcomeOf.get(item) === 'NOT_TRIED'), error: null });
    if (executed.length > 0)
      await hooks.onMined(
        tx,
        executed.map((item) => ({ ...item, txHash, gasUsed })),
      );
  });
}

/**
 * Called in the transaction that ends `outgoing` without an effect, as FAILED or CANCELLED: queues the items of a batch again, and calls the
 * failure hook for any other transaction.
 */
export async function endWithoutEffect(
  tx: DatabaseTransaction,
  world: Pick<SendingWorld, 'clock' | 'hooks'>,
  outgoing: OutgoingTransaction & Pick<OutgoingFailure, 'verdict'>,
): Promise<void> {
  if (isBatch(outgoing)) await returnItems(tx, world, { items: await itemsOf(tx, outgoing), error: null });
  else await world.hooks.onFailed(tx, outgoing);
}

/** Marks the items of a batch that lost its block as under way again. */
export async function reopenItems(
  tx: Pick<DatabaseTransaction, 'outgoingTransaction'>,
  batchId: string,
): Promise<void> {
  await tx.outgoingTransaction.updateMany({
    where: { batchId, status: { in: ['MINED', 'FINAL'] } },
    data: { status: 'SENT', confirmedAt: null, blockNumber: null, blockHash: null, gasUsed: null },
  });
}

/** The share of each item in the gas of a batch. */
function gasShare({ gasUsed }: TransactionReceipt, count: number): bigint {
  return gasUsed / BigInt(Math.max(count, 1));
}

function readBatch(batch: OutgoingTransaction, receipt: TransactionReceipt): Batch {
  const { toAddress, data } = batch;
  if (!isHex(toAddress) || !isHex(data)) throw new Error('A batch is not a call.');
  const { escrow, calls } = decodeCall(data);
  const outcomes = readOutcomes(receipt, { batch: toAddress, escrow, count: calls.length });
  return { calls, outcomes: outcomes ?? calls.map(() => 'NOT_TRIED') };
}

type Batch = { calls: readonly string[]; outcomes: readonly BatchOutcome[] };

/** Items are found by their calls. Several items with the same call have its outcomes in their order. */
function outcomesByItem(
  items: readonly OutgoingTransaction[],
  { calls, outcomes }: Batch,
): Map<OutgoingTransaction, BatchOutcome> {
  const byCall = new Map<string, BatchOutcome[]>();
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index] ?? 'NOT_TRIED';
    const known = byCall.get(call);
    if (known) known.push(outcome);
    else byCall.set(call, [outcome]);
  }
  return new Map(items.map((item) => [item, byCall.get(item.data.toLowerCase())?.shift() ?? 'NOT_TRIED']));
}

async function itemsOf(tx: DatabaseTransaction, { id }: { id: string }): Promise<OutgoingTransaction[]> {
  return await tx.outgoingTransaction.findMany({ where: { batchId: id, status: 'SENT' }, orderBy: { id: 'asc' } });
}

/** `error` is null for items that were not tried. Items that are no longer wanted end. */
async function returnItems(
  tx: DatabaseTransaction,
  { clock, hooks }: Pick<SendingWorld, 'clock' | 'hooks'>,
  { items, error }: { items: readonly OutgoingTransaction[]; error: string | null },
): Promise<void> {
  const wanted = items.filter((item) => item.abandonedAt === null).map(({ id }) => id);
  await tx.outgoingTransaction.updateMany({
    where: { id: { in: wanted } },
    data: {
      status: 'QUEUED',
      sender: RELAY_SENDER,
      batchId: null,
      txHash: null,
      error,
      ...(error === null
        ? {}
        : { failures: { increment: 1 }, notBefore: new Date(clock.now().getTime() + retryDelayMs(1)) }),
    },
  });
  for (const item of items) {
    if (item.abandonedAt === null) continue;
    await tx.outgoingTransaction.update({ where: { id: item.id }, data: { status: 'CANCELLED', batchId: null } });
    await hooks.onFailed(tx, item);
  }
}
