/** The inbox and the cursors: every statement of this module. */
import {
  type ChainCursor,
  type ChainFact,
  type Database,
  type DatabaseTransaction,
  Prisma,
} from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import { byPlace, type ChainLog, factKey } from './chain-fact.ts';
import type { ProjectorMemory } from './projector-world.ts';

type Reader = Database | DatabaseTransaction;
type Place = Pick<ChainFact, 'chainId' | 'blockHash' | 'logIndex'>;

/** Number of facts that one turn applies or reverts. */
export const DIRTY_LIMIT = 2_000;
const NOTE_EVERY_MS = 5_000;

/** A statement that waits longer for a lock fails, because Ponder's recovery or a second projector may hold it. */
export async function limitLockWait(tx: DatabaseTransaction): Promise<void> {
  await tx.$executeRaw`SET LOCAL lock_timeout = '3s'`;
}

/** Returns the chain's cursor. The first call determines where reading starts. */
export async function openCursor(
  database: Database,
  { chainId, startNumber }: { chainId: number; startNumber: () => Promise<bigint> },
): Promise<ChainCursor> {
  const found = await database.chainCursor.findUnique({ where: { chainId } });
  if (found && found.startNumber !== null) return found;
  const start = await startNumber();
  return await database.chainCursor.upsert({
    where: { chainId },
    create: { chainId, startNumber: start, readNumber: start - 1n },
    update: { startNumber: start, readNumber: start - 1n },
  });
}

/**
 * Called whenever a turn makes progress, so that a long turn, which reads history or applies many facts, does not count as stalled.
 * Writes `observed_at` at most every five seconds.
 */
export async function noteProgress(
  { database, memory }: { database: Database; memory: ProjectorMemory },
  chainId: number,
): Promise<void> {
  memory.onProgress();
  if (performance.now() - memory.notedAt < NOTE_EVERY_MS) return;
  memory.notedAt = performance.now();
  await database.$executeRaw`UPDATE chain_cursor SET observed_at = now() WHERE chain_id = ${chainId}`;
}

/** Puts logs into the inbox as `insertLogs` does. Returns the facts that were inserted or restored, in chain order. */
export async function putFacts(tx: Reader, logs: readonly ChainLog[]): Promise<ChainFact[]> {
  const put = await insertLogs(tx, logs);
  if (put.length === 0) return [];
  const keys = new Set(put.map(factKey));
  const hashes = [...new Set(put.map((row) => row.blockHash))];
  const facts = await tx.chainFact.findMany({ where: { chainId: logs[0]?.chainId ?? 0, blockHash: { in: hashes } } });
  return facts.filter((fact) => keys.has(factKey(fact))).sort(byPlace);
}

/**
 * Puts logs into the inbox. An existing fact is not changed, except that an ORPHANED fact becomes SEEN again. The ERC-3009
 * authorization that a receipt showed in the same block is restored with its payment's Authorized, because no source has a row of it.
 * Returns the places of the facts that were inserted or restored.
 */
export async function insertLogs(
  tx: Reader,
  logs: readonly ChainLog[],
): Promise<Pick<Place, 'blockHash' | 'logIndex'>[]> {
  if (logs.length === 0) return [];
  const rows = JSON.stringify(
    logs.map((log) => ({
      chain_id: log.chainId,
      block_hash: log.blockHash,
      log_index: log.logIndex,
      block_number: String(log.blockNumber),
      block_timestamp: String(log.blockTimestamp),
      tx_hash: log.txHash,
      address: log.address,
      kind: log.kind,
      ref: log.ref,
      args: log.args,
    })),
  );
  return await tx.$queryRaw<Pick<Place, 'blockHash' | 'logIndex'>[]>`
    WITH put AS (INSERT INTO chain_fact
      (chain_id, block_hash, log_index, block_number, block_timestamp, tx_hash, address, kind, ref, args)
    SELECT chain_id, block_hash, log_index, block_number, block_timestamp, tx_hash, address, kind, ref, args
    FROM jsonb_to_recordset(${rows}::jsonb) AS log(chain_id int, block_hash text, log_index int, block_number bigint,
      block_timestamp bigint, tx_hash text, address text, kind text, ref text, args jsonb)
    ON CONFLICT (chain_id, block_hash, log_index) DO UPDATE SET status = 'SEEN' WHERE chain_fact.status = 'ORPHANED'
    RETURNING chain_id, block_hash, log_index, kind, ref),
    companion AS (UPDATE chain_fact SET status = 'SEEN' FROM put WHERE put.kind = 'Authorized'
      AND chain_fact.chain_id = put.chain_id AND chain_fact.block_hash = put.block_hash AND chain_fact.ref = put.ref
      AND chain_fact.kind = 'AuthorizationUsed' AND chain_fact.status = 'ORPHANED')
    SELECT block_hash AS "blockHash", log_index AS "logIndex" FROM put`;
}

/** The SEEN facts with one of these references, in chain order. */
export async function seenFacts(
  database: Database,
  { chainId, refs }: { chainId: number; refs: readonly string[] },
): Promise<ChainFact[]> {
  const facts = await database.chainFact.findMany({ where: { chainId, status: 'SEEN', ref: { in: [...refs] } } });
  return facts.sort(byPlace);
}

export type OpenBlock = {
  number: bigint;
  hash: string;
  /** Whether a fact of the block is SEEN. */
  hasSeen: boolean;
  /** Whether a CONFIRMED fact of the block is applied. */
  hasApplied: boolean;
};

/**
 * Returns a page of the blocks with facts that are neither FINAL nor ORPHANED, in chain order. `after` is compared by value, because
 * the block itself may have left the set since.
 */
export async function openBlocks(
  database: Database,
  { chainId, after, limit }: { chainId: number; after: OpenBlock | undefined; limit: number },
): Promise<OpenBlock[]> {
  return await database.$queryRaw<OpenBlock[]>`
    SELECT block_number AS number, block_hash AS hash, bool_or(status = 'SEEN') AS "hasSeen",
      bool_or(status = 'CONFIRMED' AND applied_at IS NOT NULL) AS "hasApplied"
    FROM chain_fact WHERE chain_id = ${chainId} AND status IN ('SEEN', 'CONFIRMED')
      AND (block_number, block_hash) > (${after?.number ?? -1n}, ${after?.hash ?? ''})
    GROUP BY block_number, block_hash ORDER BY block_number, block_hash LIMIT ${limit}`;
}

/** Returns the facts of these blocks that are neither FINAL nor ORPHANED, in chain order. */
export async function openFactsIn(
  database: Database,
  { chainId, blocks }: { chainId: number; blocks: readonly OpenBlock[] },
): Promise<ChainFact[]> {
  return await database.chainFact.findMany({
    where: { chainId, blockHash: { in: blocks.map(({ hash }) => hash) }, status: { in: ['SEEN', 'CONFIRMED'] } },
    orderBy: [{ blockNumber: 'asc' }, { blockHash: 'asc' }, { logIndex: 'asc' }],
  });
}

type Blocks = { chainId: number; blocks: readonly OpenBlock[] };

/** The SEEN facts of these blocks become CONFIRMED. */
export async function confirmBlocks(database: Database, { chainId, blocks }: Blocks): Promise<void> {
  if (blocks.length === 0) return;
  await database.$executeRaw`UPDATE chain_fact SET status = 'CONFIRMED' WHERE chain_id = ${chainId}
    AND block_hash = ANY(${blocks.map(({ hash }) => hash)}) AND status = 'SEEN'`;
}

/** The applied facts of these blocks become FINAL. */
export async function finalizeBlocks(database: Database, { chainId, blocks }: Blocks): Promise<void> {
  if (blocks.length === 0) return;
  await database.$executeRaw`UPDATE chain_fact SET status = 'FINAL' WHERE chain_id = ${chainId}
    AND block_hash = ANY(${blocks.map(({ hash }) => hash)}) AND status = 'CONFIRMED' AND applied_at IS NOT NULL`;
}

/** Returns confirmed facts to apply and orphaned facts to revert, in chain order; if `refs` is given, only facts with one of them. */
export async function dirtyFacts(
  database: Database,
  { chainId, limit, refs }: { chainId: number; limit: number; refs?: readonly string[] },
): Promise<ChainFact[]> {
  return await database.chainFact.findMany({
    where: { chainId, ...dirty, ...(refs ? { ref: { in: [...refs] } } : {}) },
    orderBy: [{ blockNumber: 'asc' }, { blockHash: 'asc' }, { logIndex: 'asc' }],
    take: limit,
  });
}

const dirty = {
  OR: [
    { status: 'CONFIRMED', appliedAt: null },
    { status: 'ORPHANED', appliedAt: { not: null } },
  ],
} satisfies Prisma.ChainFactWhereInput;

/** Returns the lowest block with a fact that is not done. Null if there is none. */
export async function lowestOpenBlock(database: Database, chainId: number): Promise<bigint | null> {
  const answer = await database.chainFact.aggregate({
    where: { chainId, OR: [{ status: 'SEEN' }, ...dirty.OR] },
    _min: { blockNumber: true },
  });
  return answer._min.blockNumber;
}

/** Returns the newest FINAL facts, which are checked when the finalized chain itself has changed. */
export async function newestFinalFacts(database: Database, chainId: number, take: number): Promise<ChainFact[]> {
  return await database.chainFact.findMany({
    where: { chainId, status: 'FINAL' },
    orderBy: { blockNumber: 'desc' },
    take,
  });
}

export async function confirmFacts(database: Reader, facts: readonly Place[]): Promise<void> {
  await markFacts(database, facts, { from: ['SEEN'], to: 'CONFIRMED' });
}

export async function orphanFacts(tx: Reader, facts: readonly Place[]): Promise<void> {
  await markFacts(tx, facts, { from: ['SEEN', 'CONFIRMED'], to: 'ORPHANED' });
}

async function markFacts(
  tx: Reader,
  facts: readonly Place[],
  change: { from: ('SEEN' | 'CONFIRMED')[]; to: 'CONFIRMED' | 'ORPHANED' },
): Promise<void> {
  if (facts.length === 0) return;
  await tx.$executeRaw`
    UPDATE chain_fact SET status = ${change.to}::fact_status FROM ${placesOf(facts)}
    WHERE chain_fact.status = ANY(${change.from}::fact_status[]) AND ${isPlaced}`;
}

/**
 * Marks a group's confirmed facts as applied and its orphaned facts as reverted. Throws CONFLICT if one of them has changed since it
 * was read. The rows stay locked until the commit.
 */
export async function markApplied(
  tx: DatabaseTransaction,
  facts: readonly ChainFact[],
  appliedAt: Date,
): Promise<void> {
  for (const status of ['CONFIRMED', 'ORPHANED'] as const) {
    const marking = facts.filter((fact) => fact.status === status);
    if (marking.length === 0) continue;
    const confirmed = status === 'CONFIRMED';
    const marked = await tx.$executeRaw`
      UPDATE chain_fact SET applied_at = ${confirmed ? appliedAt : null} FROM ${placesOf(marking)}
      WHERE chain_fact.status = ${status}::fact_status AND (applied_at IS NULL) = ${confirmed} AND ${isPlaced}`;
    if (marked !== marking.length) {
      throw new GatewayError(
        'CONFLICT',
        `Only ${marked} of ${marking.length} facts are unchanged since they were read.`,
      );
    }
  }
}

/** Uses three arrays, and so one statement for any number of facts. */
function placesOf(facts: readonly Place[]): Prisma.Sql {
  return Prisma.sql`unnest(${facts.map((fact) => fact.chainId)}::int[], ${facts.map((fact) => fact.blockHash)}::text[],
    ${facts.map((fact) => fact.logIndex)}::int[]) AS place (chain_id, block_hash, log_index)`;
}

const isPlaced = Prisma.sql`chain_fact.chain_id = place.chain_id AND chain_fact.block_hash = place.block_hash
  AND chain_fact.log_index = place.log_index`;

/** Number of facts that one statement deletes. */
const PURGED = 2_000;

/**
 * Deletes orphaned facts that were seen before an instant and have no effect left, or counts them with `isDryRun`. Their block is below
 * the finalized one, so that they cannot return. Those of a halted chain are kept, because its finality is in doubt.
 */
export async function purgeOrphans(
  database: Database,
  { before, isDryRun }: { before: Date; isDryRun: boolean },
): Promise<number> {
  const gone = Prisma.sql`chain_fact AS fact JOIN chain_cursor AS cursor ON cursor.chain_id = fact.chain_id
    WHERE fact.status = 'ORPHANED' AND fact.applied_at IS NULL AND fact.seen_at < ${before}
      AND fact.block_number < cursor.finalized_number AND cursor.halted_at IS NULL`;
  if (isDryRun) {
    const [row] = await database.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM ${gone}`;
    return row?.count ?? 0;
  }
  let purged = 0;
  for (;;) {
    const count = await database.$executeRaw`
      DELETE FROM chain_fact USING (
        SELECT fact.chain_id, fact.block_hash, fact.log_index FROM ${gone} LIMIT ${Prisma.raw(String(PURGED))}
      ) AS place WHERE chain_fact.status = 'ORPHANED' AND ${isPlaced}`;
    purged += count;
    if (count < PURGED) return purged;
  }
}
