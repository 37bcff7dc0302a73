/** One turn of the watcher of a Solana chain: read, store in the inbox, apply. It may be killed at any point and run again. */
import type { Connection } from '@solana/web3.js';
import { transaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { applyFacts } from '../apply-facts.ts';
import { groupFacts } from '../group-facts.ts';
import { newProjectorMemory } from '../observe-chain.ts';
import type { Observation } from '../projector-world.ts';
import { confirmFacts, limitLockWait, noteProgress, openCursor, orphanFacts } from '../store.ts';
import { readVaults } from './read-vaults.ts';
import { readSolanaView, type SolanaView } from './solana-view.ts';
import type { SolanaMemory, SolanaWorld } from './solana-world.ts';

type Turn = SolanaWorld & { memory: SolanaMemory; connection: Connection; view: SolanaView };

/** A transaction that no node knows this many slots after it was seen is in no slot. */
const LOST_AFTER_SLOTS = 150n;

export function newSolanaMemory(onProgress?: () => void): SolanaMemory {
  return { ...newProjectorMemory(onProgress), read: new Set(), isIdle: false };
}

/**
 * Updates the record of one Solana chain from its node. Writes facts, the reading position of each vault, the chain's cursor, and
 * whatever the handlers write. Throws CHAIN_UNAVAILABLE; the next turn continues where this one stopped.
 */
export async function observeSolana(
  world: SolanaWorld & { memory?: SolanaMemory },
  { chainId }: { chainId: number },
): Promise<Observation> {
  const chain = world.registry.chain(chainId);
  if (!chain) throw new GatewayError('VALIDATION_ERROR', `Chain ${chainId} is not registered.`, { param: 'chainId' });
  const memory = world.memory ?? newSolanaMemory();
  memory.isIdle = false;
  return await world.solanaNodes.asking(chainId, async (connection) => {
    const view = await readSolanaView(connection, chain);
    const cursor = await openCursor(world.database, { chainId, startNumber: async () => view.finalized.number });
    await noteProgress({ database: world.database, memory }, chainId);
    if (cursor.haltedAt) return report(view, cursor, { waiting: 0, halted: true });
    const turn = { ...world, memory, connection, view };
    const watches = await world.reader.watched({ chainId, now: world.clock.now() });
    const complete = await readVaults(turn, watches);
    await evaluateSeen(turn);
    const { waiting, more } = await applyFacts(turn, { view });
    await finalizeApplied(turn);
    await world.database.solanaWatch.updateMany({
      where: {
        chainId,
        termsHash: { in: complete.map((watch) => watch.termsHash) },
        readSlot: { lt: view.finalized.number },
      },
      data: { readSlot: view.finalized.number },
    });
    const isComplete = complete.length === watches.length && waiting === 0 && !more;
    const next = await advanceCursor(turn, isComplete);
    memory.isIdle = isComplete && watches.length === 0;
    return report(view, next, { waiting: waiting + watches.length - complete.length, halted: false, behind: more });
  });
}

/** Confirms or orphans facts that were seen in a slot that is final by now and were not read again there. */
async function evaluateSeen(turn: Turn): Promise<void> {
  const { database, connection, view, handlers, memory } = turn;
  const seen = await database.chainFact.findMany({
    where: { chainId: view.chainId, status: 'SEEN', blockNumber: { lte: view.finalized.number } },
    orderBy: { blockNumber: 'asc' },
    take: 200,
  });
  for (const signature of new Set(seen.map((fact) => fact.txHash))) {
    const facts = seen.filter((fact) => fact.txHash === signature);
    const slot = facts[0]?.blockNumber ?? 0n;
    const options = { commitment: 'finalized', maxSupportedTransactionVersion: 0 } as const;
    const found = await connection.getTransaction(signature, options);
    if (found && BigInt(found.slot) === slot) {
      await confirmFacts(database, facts);
      continue;
    }
    if (!found && view.finalized.number < slot + LOST_AFTER_SLOTS) continue;
    memory.read.delete(signature);
    for (const group of groupFacts(handlers, view, facts)) {
      await transaction(database, async (tx) => {
        await limitLockWait(tx);
        await orphanFacts(tx, group.facts);
        await group.handler.vanished?.(tx, group);
      });
    }
  }
}

/** On Solana, confirmed facts are already final. */
async function finalizeApplied({ database, view }: Turn): Promise<void> {
  await database.chainFact.updateMany({
    where: { chainId: view.chainId, status: 'CONFIRMED', appliedAt: { not: null } },
    data: { status: 'FINAL' },
  });
}

/** `isWhole`: everything up to the final slot was read and applied. A node that fell behind does not move the cursor back. */
async function advanceCursor({ database, view }: Turn, isComplete: boolean) {
  const { finalized, newest, chainId } = view;
  const cursor = await database.chainCursor.findUniqueOrThrow({ where: { chainId } });
  const isNewer = finalized.number >= cursor.finalizedNumber;
  return await database.chainCursor.update({
    where: { chainId },
    data: {
      ...(newest.number >= cursor.headNumber
        ? { headNumber: newest.number, headHash: newest.hash, headTimestamp: newest.timestamp }
        : {}),
      ...(isNewer
        ? { finalizedNumber: finalized.number, finalizedHash: finalized.hash, finalizedTimestamp: finalized.timestamp }
        : {}),
      ...(isNewer && isComplete
        ? {
            readNumber: finalized.number,
            appliedNumber: finalized.number,
            appliedTimestamp: finalized.timestamp,
          }
        : {}),
    },
  });
}

function report(
  view: SolanaView,
  cursor: { finalizedNumber: bigint; readNumber: bigint; appliedNumber: bigint },
  rest: { waiting: number; halted: boolean; behind?: boolean },
): Observation {
  return {
    chainId: view.chainId,
    head: view.newest.number,
    finalized: cursor.finalizedNumber,
    read: cursor.readNumber,
    applied: cursor.appliedNumber,
    behind: false,
    ...rest,
  };
}
