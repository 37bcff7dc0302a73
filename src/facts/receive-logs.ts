import { type ChainFact, type DatabaseTransaction, transaction } from '../../prisma/client.ts';
import type { ChainLog } from './chain-fact.ts';
import { type ChainView, canonicalHashes } from './chain-view.ts';
import type { FactHandlers } from './fact-handler.ts';
import { groupFacts } from './group-facts.ts';
import type { ProjectorWorld } from './projector-world.ts';
import { insertLogs, limitLockWait, putFacts } from './store.ts';

/**
 * Puts logs into the inbox, except those in blocks that the node does not have. A source may lag on another fork, or never drop the logs
 * that a deep reorganization removed. If such a block returns, the blocks are read again. Logs above the confirmed height are reported as
 * pending, once for each transaction and block: their group is inserted and its handler called in one transaction.
 */
export async function receiveLogs(
  world: Pick<ProjectorWorld, 'database' | 'handlers'>,
  { view, logs, onProgress }: { view: ChainView; logs: readonly ChainLog[]; onProgress: () => Promise<void> },
): Promise<void> {
  const standing = await standingLogs(view, logs, onProgress);
  const isEarly = (log: ChainLog) => log.blockNumber > view.confirmed.number && reportsEarly(world.handlers, log.kind);
  const early = standing.filter(isEarly);
  const rest = standing.filter((log) => !isEarly(log));
  await insertLogs(world.database, rest);
  for (const group of byTransaction(early)) {
    await transaction(world.database, async (tx) => {
      await limitLockWait(tx);
      const put = await putFacts(tx, group);
      await report(tx, world.handlers, view, put);
    });
  }
}

/** A block above the node's head may still be canonical. */
async function standingLogs(
  view: ChainView,
  logs: readonly ChainLog[],
  onProgress: () => Promise<void>,
): Promise<ChainLog[]> {
  const numbers = logs.map((log) => log.blockNumber);
  const hashes = await canonicalHashes(view, numbers, onProgress);
  return logs.filter(({ blockNumber, blockHash }) => (hashes.get(blockNumber) ?? blockHash) === blockHash);
}

async function report(
  tx: DatabaseTransaction,
  handlers: FactHandlers,
  view: ChainView,
  put: ChainFact[],
): Promise<void> {
  // A fact that returns before it was reverted has already been reported.
  const fresh = put.filter((fact) => fact.appliedAt === null);
  for (const group of groupFacts(handlers, view, fresh)) await group.handler.seen?.(tx, group);
}

function reportsEarly(handlers: FactHandlers, kind: string): boolean {
  return handlers.get(kind)?.seen !== undefined;
}

/** The facts of one payment, transaction and block: events of one app, and therefore one database transaction. */
function byTransaction(logs: readonly ChainLog[]): ChainLog[][] {
  const groups = new Map<string, ChainLog[]>();
  for (const log of logs) {
    const key = `${log.blockHash}-${log.txHash}-${log.ref ?? log.logIndex}`;
    groups.set(key, [...(groups.get(key) ?? []), log]);
  }
  return [...groups.values()];
}
