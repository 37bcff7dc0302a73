import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../prisma/client.ts';
import type { Registry } from '../chains/registry.ts';
import type { Clock } from '../platform/clock.ts';
import type { LocalChainTime } from './move-chain.ts';
import { eventsToHandle, jobsAtWork, releaseJobs, sendersUnderWay } from './store.ts';

const LOOK_MS = 25;
/** Real time per stop; what takes longer will not finish on its own. */
const REST_LIMIT_MS = 120_000;
/** A second quiet check comes after everything that could have been triggered before the first. */
const QUIET_LOOKS = 2;
/** The number of blocks searched for transactions; beyond that, the whole chain has to be applied. */
const SCAN_LIMIT = 500n;

export type RestWorld = {
  database: Database;
  registry: Registry;
  clock: Clock;
  chains: readonly LocalChainTime[];
  /** Runs the pump of a sender now, as its timer would a second later. */
  wake(sender: { chainId: number; sender: string }): void;
};

/** For each chain, the block up to which nothing is left to be applied. */
export type AppliedBlocks = Map<number, bigint>;

/**
 * Waits until the system is idle at the clock's current time: no job is due, no event is unhandled, no transaction of the installation is
 * pending, and the indexer has applied every block with a transaction. Mines missing confirmations. Returns why the system is not idle
 * after two minutes, or null when it is idle or the wait is stopped.
 */
export async function awaitRest(
  world: RestWorld,
  applied: AppliedBlocks,
  stopped: () => boolean,
): Promise<string | null> {
  const until = performance.now() + REST_LIMIT_MS;
  let quiet = 0;
  for (;;) {
    const unrest = await lookForUnrest(world, applied);
    quiet = unrest === null ? quiet + 1 : 0;
    if (quiet >= QUIET_LOOKS || stopped()) return null;
    if (performance.now() >= until) return unrest ?? 'The system does not stay idle.';
    await delay(LOOK_MS);
  }
}

async function lookForUnrest(world: RestWorld, applied: AppliedBlocks): Promise<string | null> {
  const { database, clock } = world;
  await releaseJobs(database, clock.now());
  const jobs = await jobsAtWork(database);
  if (jobs > 0) return `${jobs} jobs are due and not done.`;
  const events = await eventsToHandle(database);
  if (events > 0) return `${events} events were not handled by their consumers.`;
  const senders = await sendersUnderWay(database, clock.now());
  for (const sender of senders) world.wake(sender);
  for (const chain of world.chains) {
    const unread = await lookAtChain(world, { chain, applied });
    if (unread !== null) return unread;
  }
  return senders.length > 0 ? `Transactions of ${senders.length} keys are pending.` : null;
}

async function lookAtChain(
  world: RestWorld,
  { chain, applied }: { chain: LocalChainTime; applied: AppliedBlocks },
): Promise<string | null> {
  const { chainId, client } = chain;
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  const known = largest(applied.get(chainId) ?? 0n, cursor?.appliedNumber ?? 0n);
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const busy = await newestBusyBlock(chain, { after: known, head });
  if (busy === null) {
    applied.set(chainId, head);
    return null;
  }
  const missing = BigInt(world.registry.chain(chainId)?.confirmations ?? 1) - (head - busy + 1n);
  if (missing > 0n) await client.mine({ blocks: Number(missing) });
  return `Block ${busy} of chain ${chainId} has not been applied.`;
}

/** The newest block in (after, head] with a transaction; null if all are empty. */
async function newestBusyBlock(
  { client }: LocalChainTime,
  { after, head }: { after: bigint; head: bigint },
): Promise<bigint | null> {
  if (head - after > SCAN_LIMIT) return head;
  for (let blockNumber = head; blockNumber > after; blockNumber--) {
    if ((await client.getBlockTransactionCount({ blockNumber })) > 0) return blockNumber;
  }
  return null;
}

function largest(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
