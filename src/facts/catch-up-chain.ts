import { observeChain } from './observe-chain.ts';
import type { Observation, ProjectorWorld } from './projector-world.ts';

/** A turn reads thousands of blocks: more turns than these mean that something else is wrong. */
const TURNS_LIMIT = 10_000;
/** Turns without news after which it is as caught up as it can be. */
const QUIET_TURNS = 3;

/**
 * Observes a chain until nothing more comes of it, and answers the last observation. With a source that asks the node
 * itself this brings a chain in order that Ponder's rows cannot.
 */
export async function catchUpChain(world: ProjectorWorld, { chainId }: { chainId: number }): Promise<Observation> {
  let last = await observeChain(world, { chainId });
  let quiet = 0;
  for (let turn = 1; turn < TURNS_LIMIT && quiet < QUIET_TURNS && !last.halted; turn += 1) {
    const next = await observeChain(world, { chainId });
    quiet = next.read === last.read && next.waiting === last.waiting && !next.behind ? quiet + 1 : 0;
    last = next;
  }
  return last;
}
