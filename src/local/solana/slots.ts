/**
 * Slots of the local chain. There is only one fork, so a commitment is just an age: a slot is confirmed or finalized when enough slots have
 * followed it. A slot's blockhash is derived from the genesis and its number, so that it is the same after a restart.
 */
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

export type Slots = {
  genesisHash: string;
  /** The newest slot of this commitment. */
  at(commitment: Commitment): number;
  commitmentOf(slot: number): Commitment;
  blockhash(slot: number): string;
  /** The slot of this blockhash, if a transaction may still use it. */
  slotOf(blockhash: string): number | undefined;
  /** Unix seconds, or undefined for a slot that is not kept. */
  timeOf(slot: number): number | undefined;
  advanceTo(slot: number, unixSeconds: number): void;
};

/** Number of slots that a transaction may refer back to. */
export const BLOCKHASH_SLOTS = 150;

/** Number of slots whose times are kept. */
const TIMES_KEPT = 2_000;

export function openSlots(options: { genesisHash: string; confirmedAfter: number; finalizedAfter: number }): Slots {
  const { genesisHash } = options;
  const hashes = new Map<string, number>();
  const times = new Map<number, number>();
  let current = 0;
  const at = (commitment: Commitment): number => {
    const lag = { processed: 0, confirmed: options.confirmedAfter, finalized: options.finalizedAfter }[commitment];
    return Math.max(0, current - lag);
  };
  const blockhash = (slot: number) => base58.encode(createHash('sha256').update(`${genesisHash}:${slot}`).digest());
  hashes.set(blockhash(0), 0);
  return {
    genesisHash,
    at,
    commitmentOf: (slot) =>
      slot <= at('finalized') ? 'finalized' : slot <= at('confirmed') ? 'confirmed' : 'processed',
    blockhash,
    slotOf: (hash) => {
      const slot = hashes.get(hash);
      return slot !== undefined && current - slot <= BLOCKHASH_SLOTS ? slot : undefined;
    },
    timeOf: (slot) => times.get(slot),
    advanceTo(slot, unixSeconds) {
      for (let next = Math.max(current + 1, slot - BLOCKHASH_SLOTS); next <= slot; next += 1) {
        hashes.set(blockhash(next), next);
        times.set(next, unixSeconds);
      }
      current = Math.max(current, slot);
      dropOldest(hashes, 2 * BLOCKHASH_SLOTS);
      dropOldest(times, TIMES_KEPT);
    },
  };
}

function dropOldest(map: Map<unknown, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
