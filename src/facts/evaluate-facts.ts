import { type ChainFact, transaction } from '../../prisma/client.ts';
import { factKey } from './chain-fact.ts';
import { type ChainView, canonicalHashes } from './chain-view.ts';
import { groupFacts } from './group-facts.ts';
import { countAttempt, type ProjectorMemory, type ProjectorWorld } from './projector-world.ts';
import {
  confirmBlocks,
  confirmFacts,
  finalizeBlocks,
  limitLockWait,
  noteProgress,
  type OpenBlock,
  openBlocks,
  openFactsIn,
  orphanFacts,
  seenFacts,
} from './store.ts';

type FactsWorld = Pick<ProjectorWorld, 'database' | 'handlers' | 'source' | 'log' | 'observer'> & {
  memory: ProjectorMemory;
};

/** After this many turns, the node takes precedence over a source's row in a block that the node reports as final. */
const FINAL_MISMATCH_TURNS = 5;
/** Page size of the blocks to evaluate. Each turn evaluates every page. */
const PAGE = 500;
/**
 * Compares every block that has a fact that is not final with the node's chain. SEEN facts become CONFIRMED, applied facts become FINAL,
 * and facts whose block is gone *and* whose row the source has dropped become ORPHANED. A missing row alone proves nothing.
 * Returns the number of facts in doubt, for which node and source report different blocks.
 */
export async function evaluateFacts(world: FactsWorld, { view }: { view: ChainView }): Promise<number> {
  let after: OpenBlock | undefined;
  let doubtful = 0;
  for (;;) {
    const page = await openBlocks(world.database, { chainId: view.chainId, after, limit: PAGE });
    if (page.length > 0) doubtful += await evaluatePage(world, view, page);
    if (page.length < PAGE) return doubtful;
    after = page.at(-1);
  }
}

/**
 * Confirms the facts with these references, which were put into the inbox after `evaluateFacts` of the same turn, by the same rule: the
 * node's chain has their block at or below the confirmed height. Only `evaluateFacts` orphans facts.
 */
export async function confirmNewFacts(
  { database }: Pick<ProjectorWorld, 'database'>,
  { view, refs }: { view: ChainView; refs: readonly string[] },
): Promise<void> {
  const { chainId, confirmed } = view;
  const standing: ChainFact[] = [];
  for (const fact of await seenFacts(database, { chainId, refs })) {
    if (fact.blockNumber > confirmed.number) continue;
    if ((await view.blockAt(fact.blockNumber))?.hash === fact.blockHash) standing.push(fact);
  }
  await confirmFacts(database, standing);
}

async function evaluatePage(world: FactsWorld, view: ChainView, page: readonly OpenBlock[]): Promise<number> {
  const { chainId, confirmed, finalized } = view;
  const hashes = await canonicalHashes(
    view,
    page.map(({ number }) => number),
    () => noteProgress(world, chainId),
  );
  const standing = page.filter(({ number, hash }) => hashes.get(number) === hash);
  const suspect = page.filter(({ number, hash }) => (hashes.get(number) ?? hash) !== hash);
  const final = standing.filter(({ number, hasApplied }) => hasApplied && number <= finalized.number);
  await finalizeBlocks(world.database, { chainId, blocks: final });
  const settled = standing.filter(({ number, hasSeen }) => hasSeen && number <= confirmed.number);
  await confirmBlocks(world.database, { chainId, blocks: settled });
  if (suspect.length === 0) return 0;
  const suspects = await openFactsIn(world.database, { chainId, blocks: suspect });
  const orphans = await dropped(world, view, suspects);
  const doubtful = suspects.length - orphans.length;
  if (orphans.length === 0) return doubtful;
  const blocks = [...new Set(orphans.map((fact) => fact.blockNumber))].map(String);
  world.log.warn({ chainId, facts: orphans.length, blocks }, 'A reorganization removed facts from the chain.');
  await orphan(world, view, orphans);
  world.observer?.reorganised?.({ chainId, orphaned: orphans.length });
  return doubtful;
}

/**
 * Returns the facts of which the source no longer has a row, and none while the source knows nothing of the chain. A source never
 * drops what is final to itself. Below the node's finalized block, its row therefore overrules the node only for some turns.
 */
async function dropped(world: FactsWorld, view: ChainView, suspects: readonly ChainFact[]): Promise<ChainFact[]> {
  const { chainId } = view;
  const gone: ChainFact[] = [];
  for (const number of new Set(suspects.map((fact) => fact.blockNumber))) {
    const reading = await world.source.read({ chainId, from: number, to: number });
    if (reading.through === null) continue;
    const rows = new Set(reading.logs.map(factKey));
    const refs = new Set(reading.logs.map(({ blockHash, ref }) => `${blockHash}-${ref}`));
    // No source has rows for facts that only receipts show. The payment's own row in the block takes their place.
    const isHeld = (fact: ChainFact) =>
      rows.has(factKey(fact)) || (fact.kind === 'AuthorizationUsed' && refs.has(`${fact.blockHash}-${fact.ref}`));
    const isFinal = number <= view.finalized.number;
    gone.push(
      ...suspects.filter(
        (fact) =>
          fact.blockNumber === number &&
          (!isHeld(fact) ||
            (isFinal && countAttempt(world.memory, `mismatch:${factKey(fact)}`) >= FINAL_MISMATCH_TURNS)),
      ),
    );
  }
  return gone;
}

/** Applied facts are reverted by the next application. Facts that were only reported as pending are reverted here. */
async function orphan(world: FactsWorld, view: ChainView, facts: readonly ChainFact[]): Promise<void> {
  const unapplied = facts.filter((fact) => fact.appliedAt === null);
  await orphanFacts(
    world.database,
    facts.filter((fact) => fact.appliedAt !== null || !world.handlers.get(fact.kind)?.vanished),
  );
  for (const group of groupFacts(world.handlers, view, unapplied)) {
    const { vanished } = group.handler;
    if (!vanished) continue;
    await transaction(world.database, async (tx) => {
      await limitLockWait(tx);
      await orphanFacts(tx, group.facts);
      await vanished(tx, group);
    });
  }
}
