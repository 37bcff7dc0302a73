import { type Address, type Hex, isHex, slice } from 'viem';
import { type OutgoingTransaction, Prisma, transaction } from '../../../prisma/client.ts';
import { unavailableBy } from '../../chains/evm/classify-answer.ts';
import { batchSelectors } from '../../escrow/batch/batch-item.ts';
import { type PlannedBatch, planBatches } from '../../escrow/batch/plan-batches.ts';
import { newId } from '../../platform/identifier.ts';
import type { SendingWorld } from '../sending-world.ts';
import type { ReadyTransaction } from '../sign-transactions.ts';
import { gasLimitOf } from '../simulate-transaction.ts';
import { releaseTaken } from '../store.ts';
import { batchPurpose, FAILED_IN_BATCH, MOST_GAS_AROUND } from './batch.ts';

type Formed = {
  /** Batches, ready to be signed. */
  batches: ReadyTransaction[];
  /** What is sent alone, oldest first. */
  singles: OutgoingTransaction[];
};

type QueuedItem = { data: Hex; outgoing: OutgoingTransaction };

/**
 * Puts queued relayed transactions that the batch contract may make into batches, as many as there are free places. Each batch is stored as
 * a transaction of its own before it is signed. What a simulation refuses, or has failed before, is sent alone, which finds out why. Returns
 * what no place is left for to the queue of all sender keys. Throws the node's errors.
 */
export async function formBatches(
  world: SendingWorld,
  { queued, free }: { queued: readonly OutgoingTransaction[]; free: number },
): Promise<Formed> {
  const { batching } = world;
  const items = batching ? queued.filter((outgoing) => fits(outgoing, batching)).map(toItem) : [];
  if (!batching || items.length < 2) return await placed(world, { batches: [], singles: queued, free });
  const plan = await planBatches({ client: world.client, ...batching }, { items });
  const batches: ReadyTransaction[] = [];
  const unsendable: QueuedItem[] = [];
  const apart = plan.batches.filter((batch) => batch.items.length === 1).flatMap((batch) => batch.items);
  const whole = plan.batches.filter((batch) => batch.items.length > 1);
  for (const batch of whole.slice(0, free)) {
    const gasLimit = await gasLimitOfBatch(world, batch);
    if (gasLimit === null) {
      unsendable.push(...batch.items);
      continue;
    }
    const formed = await store(world, batch);
    if (formed) batches.push({ outgoing: formed, gasLimit });
  }
  await releaseTaken(
    world.database,
    whole.slice(free).flatMap((batch) => batch.items.map(({ outgoing }) => outgoing.id)),
  );
  const isBatched = new Set(whole.flatMap((batch) => batch.items.map(({ outgoing }) => outgoing.id)));
  const isAlone = new Set([...plan.refused, ...apart, ...unsendable].map(({ outgoing }) => outgoing.id));
  const singles = queued.filter(({ id }) => !isBatched.has(id) || isAlone.has(id));
  return await placed(world, { batches, singles, free });
}

/** Keeps as many singles as places are left, and returns the other relayed ones to the queue of all sender keys. */
async function placed(
  world: SendingWorld,
  { batches, singles, free }: { batches: ReadyTransaction[]; singles: readonly OutgoingTransaction[]; free: number },
): Promise<Formed> {
  const places = Math.max(free - batches.length, 0);
  const others = singles.slice(places).filter(({ relayed }) => relayed);
  await releaseTaken(
    world.database,
    others.map(({ id }) => id),
  );
  return { batches, singles: singles.slice(0, places) };
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

/** Null if another pump has taken one of the items meanwhile. */
async function store(
  { database, chain, signer }: SendingWorld,
  batch: PlannedBatch<QueuedItem>,
): Promise<OutgoingTransaction | null> {
  const sender = signer.address.toLowerCase();
  const id = newId();
  const ids = batch.items.map(({ outgoing }) => outgoing.id);
  return await transaction(database, async (tx) => {
    const { to: toAddress, data } = batch.call;
    const purpose = batchPurpose(id);
    const stored = await tx.outgoingTransaction.create({
      data: { id, chainId: chain.chainId, sender, toAddress, data, purpose },
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
 * The floor, which the call must have on entry, and what the transaction and its data cost, if the call succeeds with it. A chain on which data
 * costs more is asked for an estimate, which takes several executions. Null if the batch cannot be sent.
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
  return gasFloor + BigInt(data) + MOST_GAS_AROUND;
}
