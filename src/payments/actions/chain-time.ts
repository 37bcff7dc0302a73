import type { ChainActionWorld } from './action-world.ts';

/**
 * The newest block's time, in unix seconds: what the contract's windows are counted by. On Solana, where we count them
 * ourselves, that of the newest final block that was read. Throws CHAIN_UNAVAILABLE.
 */
export async function chainTime(
  { database, registry, nodes }: Pick<ChainActionWorld, 'database' | 'registry' | 'nodes'>,
  chainId: number,
): Promise<number> {
  if (registry.chain(chainId)?.family === 'SOLANA') {
    const cursor = await database.chainCursor.findUnique({ where: { chainId } });
    return Number(cursor?.finalizedTimestamp ?? 0n);
  }
  const block = await nodes.asking(chainId, (client) => client.getBlock({ blockTag: 'latest' }));
  return Number(block.timestamp);
}

const SHORTEST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** When to look again at a chain whose time is `missingSeconds` short: not sooner than in 1 s, not later than in 60 s. */
export function lookAgainAt(now: Date, missingSeconds: number): Date {
  const wait = Math.min(Math.max(missingSeconds * 1000, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  return new Date(now.getTime() + wait);
}
