import type { ChainCursor, ChainFact } from '../../prisma/client.ts';
import { factKey, lowest } from './chain-fact.ts';
import type { ChainView } from './chain-view.ts';
import type { ProjectorMemory, ProjectorWorld } from './projector-world.ts';
import { newestFinalFacts } from './store.ts';

/** Number of FINAL facts that are checked when the finalized chain has changed. */
const FINAL_FACTS = 1000;
/** After this many turns in which the node reports another finalized chain than the source, the node takes precedence. */
const MISMATCH_TURNS = 5;

/**
 * Checks whether finalized blocks are still in the chain. If the block of a FINAL fact is gone, the chain is HALTED: its events are no
 * longer reported until an operator requests a resync. DOUBTFUL: node and source disagree, and the check is repeated.
 */
export async function checkFinality(
  world: Pick<ProjectorWorld, 'database' | 'clock' | 'source' | 'log' | 'observer'> & { memory: ProjectorMemory },
  { view, cursor }: { view: ChainView; cursor: ChainCursor },
): Promise<'SOUND' | 'DOUBTFUL' | 'HALTED'> {
  if (cursor.finalizedHash === null) return 'SOUND';
  const block = await view.blockAt(cursor.finalizedNumber);
  if (block === null || block.hash === cursor.finalizedHash) {
    world.memory.finalMismatches = 0;
    return 'SOUND';
  }
  const lost = await lostFacts(world, view);
  if (lost.length === 0) {
    world.log.warn(
      { chainId: view.chainId },
      'The chain was reorganized below its final block, but no recorded event is affected. It is read again.',
    );
    await rewind(world, view, cursor);
    return 'DOUBTFUL';
  }
  world.memory.finalMismatches += 1;
  if (world.memory.finalMismatches < MISMATCH_TURNS && !(await isDropped(world, view.chainId, lost))) return 'DOUBTFUL';
  const first = lowest(view.head.number, ...lost.map((fact) => fact.blockNumber));
  const reason = `${lost.length} final facts are gone, the lowest in block ${first}.`;
  await world.database.chainCursor.update({
    where: { chainId: view.chainId },
    data: { haltedAt: world.clock.now(), haltReason: reason },
  });
  world.log.error({ chainId: view.chainId, reason }, 'CHAIN HALTED: a final block was removed from the chain.');
  world.observer?.halted?.({ chainId: view.chainId, reason });
  return 'HALTED';
}

async function lostFacts(world: Pick<ProjectorWorld, 'database'>, view: ChainView): Promise<ChainFact[]> {
  const lost: ChainFact[] = [];
  for (const fact of await newestFinalFacts(world.database, view.chainId, FINAL_FACTS)) {
    const block = await view.blockAt(fact.blockNumber);
    if (block !== null && block.hash !== fact.blockHash) lost.push(fact);
  }
  return lost;
}

async function isDropped(
  world: Pick<ProjectorWorld, 'source'>,
  chainId: number,
  lost: readonly ChainFact[],
): Promise<boolean> {
  const [fact] = lost;
  if (!fact) return false;
  const reading = await world.source.read({ chainId, from: fact.blockNumber, to: fact.blockNumber });
  return reading.through !== null && !reading.logs.some((log) => factKey(log) === factKey(fact));
}

async function rewind(world: Pick<ProjectorWorld, 'database'>, view: ChainView, cursor: ChainCursor): Promise<void> {
  await world.database.chainCursor.update({
    where: { chainId: view.chainId },
    data: {
      readNumber: (cursor.startNumber ?? 0n) - 1n,
      finalizedNumber: view.finalized.number,
      finalizedHash: view.finalized.hash,
      finalizedTimestamp: view.finalized.timestamp,
    },
  });
}
