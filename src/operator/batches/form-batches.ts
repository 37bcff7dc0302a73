import { type Address, type Hex, isHex, slice } from 'viem';
import { type OutgoingTransaction, Prisma, transaction } from '../../../prisma/client.ts';
import { unavailableBy } from '../../chains/evm/classify-answer.ts';
import { batchSelectors } from '../../escrow/batch/batch-item.ts';
import { type BatchPlan, type PlannedBatch, planBatches } from '../../escrow/batch/plan-batches.ts';
import { newId } from '../../platform/identifier.ts';
import { type SenderView, spendableWei } from '../read-sender.ts';
import type { SendingWorld } from '../sending-world.ts';
import type { ReadyTransaction } from '../sign-transactions.ts';
import { gasLimitOf } from '../simulate-transaction.ts';
import { type OpenOutgoing, releaseTaken } from '../store.ts';
import { batchPurpose, FAILED_IN_BATCH, GAS_OVERHEAD } from './batch.ts';

type Formed = {
  /** Batches, ready to be signed. */
  batches: ReadyTransaction[];
  /** What is sent alone, oldest first. */
  singles: OutgoingTransaction[];
};

type Forming = {
  queued: readonly OutgoingTransaction[];
  /** The number of transactions that the key may still have in flight. */
  free: number;
  view: SenderView;
  unmined: readonly OpenOutgoing[];
};

type QueuedItem = { data: Hex; outgoing: OutgoingTransaction };

/**
 * Puts queued relayed transactions that the batch contract may make into batches, as many as there are free places and the key can pay for.
 * Each batch is stored as a transaction of its own before it is signed. Items that a simulation refuses or that failed in a batch before,
 * and items of a batch that the key cannot pay for, are sent alone, as far as there are places; other relayed ones are returned to the
 * queue of all sender keys. Throws the errors of an unavailable node.
 */
export async function formBatches(world: SendingWorld, { queued, free, view, unmined }: Forming): Promise<Formed> {
  const { batching } = world;
  const items = batching ? queued.filter((outgoing) => fits(outgoing, batching)).map(toItem) : [];
  const plan = batching && items.length > 1 ? await plannedBatches(world, { batching, items }) : null;
  const planned = (plan?.batches ?? []).filter((batch) => batch.items.length > 1);
  let payableGas = planned.length > 0 ? (await spendableWei(world, unmined)) / view.suggested.maxFeePerGasWei : 0n;
  const batches: ReadyTransaction[] = [];
  const batched = new Set<string>();
  for (const batch of planned.slice(0, free)) {
    const gasLimit = await gasLimitOfBatch(world, batch);
    if (gasLimit === null || gasLimit > payableGas) continue;
    const formed = await store(world, batch);
    if (!formed) continue;
    payableGas -= gasLimit;
    batches.push({ outgoing: formed, gasLimit });
    for (const { outgoing } of batch.items) batched.add(outgoing.id);
  }
  const others = queued.filter(({ id }) => !batched.has(id));
  const places = Math.max(free - batches.length, 0);
  await releaseTaken(
    world.database,
    others.slice(places).flatMap(({ id, relayed }) => (relayed ? [id] : [])),
  );
  return { batches, singles: others.slice(0, places) };
}

/** Null if the node does not run the simulation, for example because it limits the gas of calls. All items are then sent alone. */
async function plannedBatches(
  { client, chain, log }: SendingWorld,
  { batching, items }: { batching: NonNullable<SendingWorld['batching']>; items: readonly QueuedItem[] },
): Promise<BatchPlan<QueuedItem> | null> {
  try {
    return await planBatches({ client, ...batching }, { items });
  } catch (error) {
    if (unavailableBy(error) !== null) throw error;
    log.warn({ chainId: chain.chainId, error }, 'A batch cannot be simulated. Its transactions are sent individually.');
    return null;
  }
}

function fits(outgoing: OutgoingTransaction, { escrow }: { escrow: Address }): boolean {
  const { relayed, error, toAddress, data, valueWei } = outgoing;
  if (!relayed || error === FAILED_IN_BATCH || !valueWei.isZero()) return false;
  if (toAddress.toLowerCase() !== escrow.toLowerCase()) return false;
  return isHex(data) && data.length >= 10 && batchSelectors.has(slice(data, 0, 4));
}

function toItem(outgoing: OutgoingTransaction): QueuedItem {
  if (!isHex(outgoing.data)) throw new Error('An outgoing row is not a call.');
  return { data: outgoing.data, outgoing };
}

/** Null if another pump has taken one of the items in the meantime. */
async function store(
  { database, chain, signer, clock }: SendingWorld,
  batch: PlannedBatch<QueuedItem>,
): Promise<OutgoingTransaction | null> {
  const sender = signer.address.toLowerCase();
  const id = newId();
  const ids = batch.items.map(({ outgoing }) => outgoing.id);
  return await transaction(database, async (tx) => {
    const { to: toAddress, data } = batch.call;
    const purpose = batchPurpose(id);
    const stored = await tx.outgoingTransaction.create({
      data: { id, chainId: chain.chainId, sender, toAddress, data, purpose, takenAt: clock.now() },
    });
    const taken = await tx.outgoingTransaction.updateMany({
      where: { id: { in: ids }, status: 'QUEUED', sender },
      data: { status: 'SENT', batchId: id, error: null, waitsFor: null },
    });
    if (taken.count !== ids.length) throw new LostItem();
    return stored;
  }).catch((error: unknown) => {
    if (error instanceof LostItem) return null;
    throw error;
  });
}

class LostItem extends Error {}

/**
 * The floor, which the call must have on entry, and what the transaction and its data cost, if the call succeeds with it. On a chain with
 * extra fees for data, the node estimates the gas, which takes several executions. Null if the batch cannot be sent.
 */
async function gasLimitOfBatch(world: SendingWorld, batch: PlannedBatch<QueuedItem>): Promise<bigint | null> {
  const { client, signer } = world;
  const gas = leastGasOf(batch);
  try {
    await client.call({ account: signer.address, ...batch.call, gas });
    return gas;
  } catch (error) {
    if (unavailableBy(error) !== null) throw error;
  }
  const { to: toAddress, data } = batch.call;
  return await gasLimitOf(world, { toAddress, data, valueWei: new Prisma.Decimal(0), maxGas: null }).catch(
    (error: unknown) => {
      if (unavailableBy(error) !== null) throw error;
      return null;
    },
  );
}

function leastGasOf({ gasFloor, call }: PlannedBatch<QueuedItem>): bigint {
  let data = 0;
  for (let index = 2; index < call.data.length; index += 2) {
    data += call.data[index] === '0' && call.data[index + 1] === '0' ? 4 : 16;
  }
  return gasFloor + BigInt(data) + GAS_OVERHEAD;
}
