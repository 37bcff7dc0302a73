/** One look at a chain through its node: its heights, and which block stands at a height. */
import { BlockNotFoundError } from 'viem';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Chain } from '../chains/registry.ts';

export type BlockPlace = { number: bigint; hash: string /** Unix seconds. */; timestamp: bigint };

export type ChainView = {
  chainId: number;
  /** Required confirmations, the including block counted. */
  required: number;
  head: BlockPlace;
  /** C: the newest block with the required confirmations; the genesis block on a chain that is shorter. */
  confirmed: BlockPlace;
  finalized: BlockPlace;
  /** The block that the node has at that height, or null. */
  blockAt(number: bigint): Promise<BlockPlace | null>;
};

/** What earlier looks at one chain learned; valid as long as its head is still part of the chain. */
export type ChainMemory = { head: BlockPlace | null; blocks: Map<bigint, BlockPlace> };

export function newChainMemory(): ChainMemory {
  return { head: null, blocks: new Map() };
}

/**
 * On a local chain the node's `finalized` tag lags 64 blocks that may never come, so that a block counts as final this
 * many blocks below the confirmed one. Deeper reorganisations halt the chain, on local chains as on others.
 */
export const LOCAL_FINALITY_BLOCKS = 12n;
/** For nodes that know no `finalized` tag. */
const FALLBACK_FINALITY_BLOCKS = 256n;
const MEMORY_LIMIT = 20_000;

/** Asks the node for head and finality, at most four requests. Throws CHAIN_UNAVAILABLE. */
export async function readChainView(
  world: { nodes: EvmNodes; memory: ChainMemory },
  chain: Pick<Chain, 'chainId' | 'confirmations' | 'local'>,
): Promise<ChainView> {
  const { memory } = world;
  const ask = (block: { blockNumber: bigint } | { blockTag: 'latest' | 'finalized' }) =>
    askBlock(world.nodes, chain.chainId, block);
  const head = await ask({ blockTag: 'latest' });
  if (!head) throw new Error(`Chain ${chain.chainId} has no head.`);
  await refreshMemory(memory, head, ask);
  const blockAt = async (number: bigint): Promise<BlockPlace | null> => {
    const known = memory.blocks.get(number);
    if (known) return known;
    const block = await ask({ blockNumber: number });
    // Only what is below the head is known to stand as long as the head does.
    if (block && number <= head.number) memory.blocks.set(number, block);
    return block;
  };
  const standing = async (number: bigint) => (await blockAt(number > 0n ? number : 0n)) ?? head;
  const required = chain.confirmations;
  const confirmed = await standing(head.number - BigInt(required) + 1n);
  const tagged = chain.local ? null : await ask({ blockTag: 'finalized' });
  const depth = chain.local ? LOCAL_FINALITY_BLOCKS : FALLBACK_FINALITY_BLOCKS;
  const finalized = tagged ?? (await standing(confirmed.number - depth));
  return { chainId: chain.chainId, required, head, confirmed, finalized, blockAt };
}

/** Everything that was learned under an earlier head stays true while that head is still in the chain. */
async function refreshMemory(
  memory: ChainMemory,
  head: BlockPlace,
  ask: (block: { blockNumber: bigint }) => Promise<BlockPlace | null>,
): Promise<void> {
  const last = memory.head;
  if (last?.hash !== head.hash) {
    const stands = last && last.number < head.number && (await ask({ blockNumber: last.number }))?.hash === last.hash;
    if (!stands || memory.blocks.size > MEMORY_LIMIT) memory.blocks.clear();
  }
  memory.head = head;
  memory.blocks.set(head.number, head);
}

async function askBlock(
  nodes: EvmNodes,
  chainId: number,
  block: { blockNumber: bigint } | { blockTag: 'latest' | 'finalized' },
): Promise<BlockPlace | null> {
  try {
    const found = await nodes.asking(chainId, (client) => client.getBlock(block));
    if (found.number === null || found.hash === null) return null;
    return { number: found.number, hash: found.hash.toLowerCase(), timestamp: found.timestamp };
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null;
    throw error;
  }
}
