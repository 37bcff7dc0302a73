import type { ChainActionWorld } from './action-world.ts';

/**
 * The time of the newest block in Unix seconds, which the contract's deadlines refer to. On Solana, where the gateway enforces
 * the deadlines itself, the time of the newest final block that was read. Throws CHAIN_UNAVAILABLE.
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

/** When to check again a chain whose time is `missingSeconds` short of a deadline: in at least 1 and at most 60 seconds. */
export function lookAgainAt(now: Date, missingSeconds: number): Date {
  const wait = Math.min(Math.max(missingSeconds * 1000, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  return new Date(now.getTime() + wait);
}
