/** A snapshot of a chain from its node: its heights, and the canonical block at a height. */
import { BlockNotFoundError, type Hex } from 'viem';
import { nodeAnswerOf } from '../chains/evm/classify-answer.ts';
import type { EvmClient, EvmNodes } from '../chains/evm/nodes.ts';
import type { Chain } from '../chains/registry.ts';
import { lowest } from './chain-fact.ts';

export type BlockPlace<Hash extends string = string> = {
  number: bigint;
  /** Hex on an EVM chain, base58 on Solana. */
  hash: Hash;
  /** Unix seconds. */
  timestamp: bigint;
};

export type ChainView<Hash extends string = string> = {
  chainId: number;
  /** Required confirmations, counting the including block. */
  required: number;
  head: BlockPlace<Hash>;
  /** C: the newest block with the required confirmations, or the genesis block on a shorter chain. */
  confirmed: BlockPlace<Hash>;
  /** The node's finalized block, never above the confirmed one. */
  finalized: BlockPlace<Hash>;
  /** Returns the node's block at that height, or null. */
  blockAt(number: bigint): Promise<BlockPlace<Hash> | null>;
};

/**
 * Blocks that earlier readings of one chain found. They are valid as long as the head of that reading is still in the chain. Blocks
 * below the last finalized one are dropped, because a chain grows without end and these blocks are rarely needed.
 */
export type ChainMemory = {
  head: BlockPlace<Hex> | null;
  finalized: BlockPlace<Hex> | null;
  blocks: Map<bigint, BlockPlace<Hex>>;
};

export function newChainMemory(): ChainMemory {
  return { head: null, finalized: null, blocks: new Map() };
}

/** For nodes without a `finalized` tag: deeper than any reorganization of these chains so far. */
const FALLBACK_FINALITY_BLOCKS = 256n;
const MEMORY_LIMIT = 20_000;
/** Number of blocks requested from a node concurrently. */
const REQUESTED_AT_ONCE = 10;

/** Reads head and finality from the node with at most four requests. Throws CHAIN_UNAVAILABLE. */
export async function readChainView(
  world: { nodes: EvmNodes; memory: ChainMemory },
  chain: Pick<Chain, 'chainId' | 'confirmations'>,
): Promise<ChainView<Hex>> {
  const { memory } = world;
  const ask = (block: { blockNumber: bigint } | { blockTag: 'latest' | 'finalized' }) =>
    askBlock(world.nodes, chain.chainId, block);
  const head = await ask({ blockTag: 'latest' });
  if (!head) throw new Error(`Chain ${chain.chainId} has no head.`);
  await refreshMemory(memory, head, ask);
  const blockAt = async (number: bigint): Promise<BlockPlace<Hex> | null> => {
    const known = memory.blocks.get(number);
    if (known) return known;
    const block = await ask({ blockNumber: number });
    // Only blocks below the head are known to be canonical as long as the head is.
    if (block && number <= head.number) memory.blocks.set(number, block);
    return block;
  };
  const standing = async (number: bigint) => (await blockAt(number > 0n ? number : 0n)) ?? head;
  const required = chain.confirmations;
  const confirmed = await standing(head.number - BigInt(required) + 1n);
  const tagged = await ask({ blockTag: 'finalized' });
  const finalized = await standing(
    tagged ? lowest(tagged.number, confirmed.number) : confirmed.number - FALLBACK_FINALITY_BLOCKS,
  );
  memory.finalized = finalized;
  return { chainId: chain.chainId, required, head, confirmed, finalized, blockAt };
}

/**
 * Returns the hash of the node's block at each of these heights that it has. Several are requested concurrently; `onProgress` is called
 * in between.
 */
export async function canonicalHashes(
  view: Pick<ChainView, 'blockAt'>,
  numbers: readonly bigint[],
  onProgress: () => Promise<void>,
): Promise<Map<bigint, string>> {
  const wanted = [...new Set(numbers)];
  const hashes = new Map<bigint, string>();
  for (let start = 0; start < wanted.length; start += REQUESTED_AT_ONCE) {
    const part = wanted.slice(start, start + REQUESTED_AT_ONCE);
    for (const block of await Promise.all(part.map((number) => view.blockAt(number)))) {
      if (block) hashes.set(block.number, block.hash);
    }
    await onProgress();
  }
  return hashes;
}

/** Blocks that were read under an earlier head remain valid while that head is in the chain. */
async function refreshMemory(
  memory: ChainMemory,
  head: BlockPlace<Hex>,
  ask: (block: { blockNumber: bigint }) => Promise<BlockPlace<Hex> | null>,
): Promise<void> {
  const last = memory.head;
  if (last?.hash !== head.hash) {
    const stands = last && last.number < head.number && (await ask({ blockNumber: last.number }))?.hash === last.hash;
    if (!stands || memory.blocks.size > MEMORY_LIMIT) memory.blocks.clear();
    const { finalized } = memory;
    for (const number of memory.blocks.keys()) if (finalized && number < finalized.number) memory.blocks.delete(number);
  }
  memory.head = head;
  memory.blocks.set(head.number, head);
}

async function askBlock(
  nodes: EvmNodes,
  chainId: number,
  block: { blockNumber: bigint } | { blockTag: 'latest' | 'finalized' },
): Promise<BlockPlace<Hex> | null> {
  const found = await nodes.asking(chainId, (client) => findBlock(client, block));
  if (!found || found.number === null || found.hash === null) return null;
  // Lower case, as everywhere in the database. Nodes may use another case.
  const hash: Hex = `0x${found.hash.slice(2).toLowerCase()}`;
  return { number: found.number, hash, timestamp: found.timestamp };
}

/** Returns null if the node has no such block or does not know the `finalized` tag. */
async function findBlock(client: EvmClient, block: Parameters<EvmClient['getBlock']>[0]) {
  try {
    return await client.getBlock(block);
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null;
    const answer = block?.blockTag === 'finalized' ? nodeAnswerOf(error) : null;
    if (answer === 'unsupported' || answer === 'missing') return null;
    throw error;
  }
}
