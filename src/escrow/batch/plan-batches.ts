import { type Address, type Hex, type PublicClient, size, slice } from 'viem';
import type { Call } from '../calldata.ts';
import { type BatchItem, collectingSelectors, decodeExecution, executeCall } from './batch-item.ts';

export type BatchLimits = {
  items: number;
  /** Limit of the items' calldata, in bytes. */
  bytes: number;
  /** Limit of a batch's gas floor. */
  gas: bigint;
  /** Gas that one item may use. An item that needs more is refused and must be sent alone. */
  gasOfItem: bigint;
};

/**
 * A node takes transactions of at most 128 KiB, and a chain may refuse more than 2^24 gas in one (EIP-7825), of which the
 * sender adds a quarter itself.
 */
export const batchLimits: BatchLimits = { items: 100, bytes: 110_000, gas: 12_000_000n, gasOfItem: 1_000_000n };

/** Bytes that an item takes in addition to its data: offset, length, cap and padding. */
const BYTES_AROUND_ITEM = 160;
/** The escrow makes no payout with less than 273,174 gas left, most of which is not used. */
const GAS_TO_PAY = 290_000n;
/** An item may be the first to access storage that another item accessed before it in the simulation. */
const GAS_TO_COLLECT = 30_000n;
/** Gas that the batch uses for each item, and in addition to all items. */
const GAS_AROUND_ITEM = 2_000n;
const GAS_AROUND_BATCH = 30_000n;

type PlannedCall = Pick<BatchItem, 'data'>;

export type PlannedBatch<Item extends PlannedCall> = {
  items: (Item & { gasCap: bigint })[];
  gasFloor: bigint;
  /** Ready to be sent by any key; an estimate of its gas is at least the floor. */
  call: Call;
};

export type BatchPlan<Item extends PlannedCall> = {
  batches: PlannedBatch<Item>[];
  /** Items whose calls fail now, alone or after the items before them. `evaluateItem` returns why. */
  refused: Item[];
};

type World = { client: Pick<PublicClient, 'request'>; batch: Address; escrow: Address };

/**
 * Puts items into batches in their order. The gas cap of an item is what it used in a simulation at the latest block plus a quarter, and
 * at least the escrow's minimum if it pays someone. Makes one request to the node for each batch. An item's cap limits its cost on chain
 * whatever it does there; the batch's gas floor assumes that all items behave as in the simulation. Throws the node's errors.
 */
export async function planBatches<Item extends PlannedCall>(
  world: World,
  { items, limits = batchLimits }: { items: readonly Item[]; limits?: BatchLimits },
): Promise<BatchPlan<Item>> {
  const plan: BatchPlan<Item> = { batches: [], refused: [] };
  let rest = items;
  // Each iteration takes at least one item.
  while (rest.length > 0) {
    const candidates = fitting(rest, limits);
    const measured = await simulate(world, { items: candidates, gasCap: limits.gasOfItem });
    const turn = takeTurn(measured, limits);
    plan.refused.push(...turn.refused);
    const first = turn.taken;
    if (first.length > 0) {
      const gasFloor = floorOf(first);
      const capped = first.map(({ item, gasCap }) => ({ ...item, gasCap }));
      const call = executeCall({ batch: world.batch, escrow: world.escrow, gasFloor, items: capped });
      plan.batches.push({ items: capped, gasFloor, call });
    }
    rest = rest.slice(turn.taken.length + turn.refused.length);
  }
  return plan;
}

type Measured<Item> = { item: Item; outcome: 'NOT_TRIED' | 'DONE' | 'FAILED'; gasUsed: bigint };
type Taken<Item> = { item: Item; gasUsed: bigint; gasCap: bigint };

/** Returns the first items that fit into a transaction, at least one. */
function fitting<Item extends PlannedCall>(items: readonly Item[], limits: BatchLimits): readonly Item[] {
  let bytes = 0;
  const tooMany = items.findIndex(({ data }, index) => {
    bytes += size(data) + BYTES_AROUND_ITEM;
    return index > 0 && (index >= limits.items || bytes > limits.bytes);
  });
  return tooMany < 0 ? items : items.slice(0, tooMany);
}

/** Sorts the items until one was not tried or the gas of a batch is used up. */
function takeTurn<Item extends PlannedCall>(measured: readonly Measured<Item>[], limits: BatchLimits) {
  const taken: Taken<Item>[] = [];
  const refused: Item[] = [];
  for (const { item, outcome, gasUsed } of measured) {
    const isFirst = taken.length + refused.length === 0;
    if (outcome === 'NOT_TRIED' && !isFirst) break;
    if (outcome !== 'DONE') {
      refused.push(item);
      continue;
    }
    const next = { item, gasUsed, gasCap: gasUsed + gasUsed / 4n + spareGas(item) };
    if (taken.length > 0 && floorOf([...taken, next]) > limits.gas) break;
    taken.push(next);
  }
  return { taken, refused };
}

/** Charges and deposits take money in. Every other item pays someone. */
function spareGas({ data }: PlannedCall): bigint {
  return collectingSelectors.has(slice(data, 0, 4)) ? GAS_TO_COLLECT : GAS_TO_PAY;
}

/** Gas with which each item can get its cap when those before it use a quarter more than they did in the simulation. */
function floorOf(items: readonly Taken<PlannedCall>[]): bigint {
  let floor = GAS_AROUND_BATCH;
  let largest = 0n;
  for (const { gasUsed, gasCap, item } of items) {
    floor += gasUsed + gasUsed / 4n + GAS_AROUND_ITEM;
    const needed = gasCap + gasCap / 63n + BigInt(size(item.data));
    if (needed > largest) largest = needed;
  }
  return floor + largest;
}

async function simulate<Item extends PlannedCall>(
  { client, batch, escrow }: World,
  { items, gasCap }: { items: readonly Item[]; gasCap: bigint },
): Promise<Measured<Item>[]> {
  const { to, data } = executeCall({
    batch,
    escrow,
    gasFloor: 0n,
    items: items.map((item) => ({ ...item, gasCap })),
  });
  const answer: Hex = await client.request({ method: 'eth_call', params: [{ to, data }, 'latest'] });
  const results = decodeExecution(answer);
  return items.map((item, index) => ({ item, ...(results[index] ?? { outcome: 'NOT_TRIED', gasUsed: 0n }) }));
}
