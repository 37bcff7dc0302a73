/** One turn of the projector: read, store in the inbox, evaluate, apply. It may be killed at any point and run again. */
import type { ChainCursor } from '../../prisma/client.ts';
import type { Chain } from '../chains/registry.ts';
import { GatewayError } from '../errors.ts';
import { applyFacts, applyNewFacts } from './apply-facts.ts';
import { lowest } from './chain-fact.ts';
import { type ChainView, newChainMemory, readChainView } from './chain-view.ts';
import { confirmNewFacts, evaluateFacts } from './evaluate-facts.ts';
import type { FactReading } from './fact-source.ts';
import { checkFinality } from './halt-chain.ts';
import type { Observation, ProjectorMemory, ProjectorWorld } from './projector-world.ts';
import { receiveLogs } from './receive-logs.ts';
import { DIRTY_LIMIT, lowestOpenBlock, noteProgress, openCursor } from './store.ts';

/** On a chain without new blocks, facts from elsewhere and an operator's changes are noticed after this time. */
const QUIET_MS = 1_000;

/** `onProgress` is called whenever a turn makes progress. */
export function newProjectorMemory(onProgress: () => void = () => undefined): ProjectorMemory {
  const counts = { waitingFacts: 0, finalMismatches: 0 };
  return { chain: newChainMemory(), attempts: new Map(), ...counts, notedAt: -Infinity, onProgress, quiet: null };
}

/**
 * Updates the record of one EVM chain from its node. Writes facts, the chain's cursor, and whatever the handlers write. Throws
 * CHAIN_UNAVAILABLE, by which nothing is lost: the next turn continues where this one stopped.
 */
export async function observeChain(world: ProjectorWorld, { chainId }: { chainId: number }): Promise<Observation> {
  const chain = world.registry.chain(chainId);
  if (!chain) throw new GatewayError('VALIDATION_ERROR', `Chain ${chainId} is not registered.`, { param: 'chainId' });
  const memory = world.memory ?? newProjectorMemory();
  const view = await readChainView({ nodes: world.nodes, memory: memory.chain }, chain);
  const { quiet } = memory;
  if (quiet && quiet.headHash === view.head.hash && performance.now() < quiet.until) return quiet.observation;
  memory.quiet = null;
  const cursor = await openCursor(world.database, {
    chainId,
    startNumber: async () => startNumber(world, chain, view),
  });
  const progress = () => noteProgress({ database: world.database, memory }, chainId);
  await progress();
  if (cursor.haltedAt) return report(view, cursor, { halted: true });
  const trust = await checkFinality({ ...world, memory }, { view, cursor });
  if (trust !== 'SOUND') return report(view, cursor, { halted: trust === 'HALTED' });
  const readNumber = await readFrom(view, cursor);
  const { number: to, hash: headHash } = view.head;
  const reading = await world.source.read({ chainId, from: readNumber + 1n, to, headHash });
  await progress();
  await receiveLogs(world, { view, logs: reading.logs, onProgress: progress });
  const doubtful = await evaluateFacts({ ...world, memory }, { view });
  const { waiting, more } = await applyFacts({ ...world, memory }, { view });
  const added = await applyWatched({ ...world, memory }, view);
  const next = await advanceCursor(world, { view, cursor, readNumber, reading });
  const behind = more || (next.readNumber > readNumber && next.readNumber < view.head.number);
  const observation = report(view, next, { waiting: waiting + added + doubtful, behind });
  if (isQuiet(view, observation)) {
    memory.quiet = { headHash: view.head.hash, until: performance.now() + QUIET_MS, observation };
  }
  return observation;
}

/** Applies what `watch` puts into the inbox at once, because callers wait for it. Returns the number of groups that wait for the next turn. */
async function applyWatched(world: ProjectorWorld & { memory: ProjectorMemory }, view: ChainView): Promise<number> {
  const refs = ((await world.watch?.(view)) ?? []).slice(0, DIRTY_LIMIT);
  if (refs.length === 0) return 0;
  await confirmNewFacts(world, { view, refs });
  return await applyNewFacts(world, { view, refs });
}

/** Whether the chain was read to its head and applied as far as it is confirmed. */
function isQuiet(view: ChainView, { waiting, behind, read, applied }: Observation): boolean {
  return waiting === 0 && !behind && read >= view.head.number && applied >= view.confirmed.number;
}

/** The configured block, else the genesis of a local chain, else the head: nobody can have paid terms that were never signed. */
function startNumber(world: ProjectorWorld, chain: Chain, view: ChainView): bigint {
  return world.startBlocks?.get(chain.chainId) ?? (chain.local ? 0n : view.head.number);
}

/** If the last head is no longer in the chain, blocks above the finalized one may have other logs and are read again. */
async function readFrom(view: ChainView, cursor: ChainCursor): Promise<bigint> {
  if (cursor.headHash === null) return cursor.readNumber;
  const last = await view.blockAt(cursor.headNumber);
  if (last === null || last.hash === cursor.headHash) return cursor.readNumber;
  return lowest(cursor.readNumber, cursor.finalizedNumber, view.finalized.number);
}

function progressOf(reading: FactReading, view: ChainView): bigint {
  return lowest(reading.through?.number ?? -1n, view.head.number);
}

async function advanceCursor(
  world: ProjectorWorld,
  turn: { view: ChainView; cursor: ChainCursor; readNumber: bigint; reading: FactReading },
): Promise<ChainCursor> {
  const { view, cursor, reading } = turn;
  const through = reading.through;
  // A source on another fork than the node has read blocks that are not canonical.
  const sound =
    through !== null && (through.hash === null || (await view.blockAt(through.number))?.hash === through.hash);
  const progress = progressOf(reading, view);
  const readNumber = sound && progress > turn.readNumber ? progress : turn.readNumber;
  const open = await lowestOpenBlock(world.database, view.chainId);
  const allApplied = lowest(view.confirmed.number, readNumber, ...(open === null ? [] : [open - 1n]));
  const applied = await view.blockAt(allApplied < 0n ? 0n : allApplied);
  // A node that has fallen behind does not move the head back. A shorter fork is detected when it grows.
  const head = view.head.number < cursor.headNumber && !(await isGone(view, cursor)) ? null : view.head;
  const finalized = view.finalized.number < cursor.finalizedNumber ? null : view.finalized;
  return await world.database.chainCursor.update({
    where: { chainId: view.chainId },
    data: {
      readNumber,
      ...(applied ? { appliedNumber: applied.number, appliedTimestamp: applied.timestamp } : {}),
      ...(head ? { headNumber: head.number, headHash: head.hash, headTimestamp: head.timestamp } : {}),
      ...(finalized
        ? {
            finalizedNumber: finalized.number,
            finalizedHash: finalized.hash,
            finalizedTimestamp: finalized.timestamp,
          }
        : {}),
    },
  });
}

async function isGone(view: ChainView, cursor: ChainCursor): Promise<boolean> {
  const block = await view.blockAt(cursor.headNumber);
  return block !== null && block.hash !== cursor.headHash;
}

function report(view: ChainView, cursor: ChainCursor, rest: Partial<Observation>): Observation {
  return {
    chainId: view.chainId,
    head: view.head.number,
    finalized: cursor.finalizedNumber,
    read: cursor.readNumber,
    applied: cursor.appliedNumber,
    waiting: 0,
    halted: false,
    behind: false,
    ...rest,
  };
}
