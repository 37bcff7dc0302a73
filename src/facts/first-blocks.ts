import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Chain, Registry } from '../chains/registry.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../platform/log.ts';
import { openCursor } from './store.ts';

type World = {
  config: Pick<Config, 'rpc'>;
  registry: Registry;
  nodes: EvmNodes;
  database: Database;
  log: Log;
};

/** First blocks by chain. `unreachable` are chains whose first block is unknown and whose node does not respond. */
type FirstBlocks = { blocks: Map<number, bigint>; unreachable: number[] };

/** Returns the first block of every enabled chain with an escrow. A chain that cannot be reached does not delay the others. */
export async function firstBlocks(world: World): Promise<FirstBlocks> {
  const found: FirstBlocks = { blocks: new Map(), unreachable: [] };
  const chains = world.registry.enabled().filter((chain) => chain.family === 'EVM' && chain.escrow !== null);
  const blocks = await Promise.all(chains.map((chain) => firstBlock(world, chain)));
  for (const [index, { chainId }] of chains.entries()) {
    const block = blocks[index] ?? null;
    if (block === null) found.unreachable.push(chainId);
    else found.blocks.set(chainId, block);
  }
  return found;
}

/**
 * Returns the first block to read. It is determined once and stored, so that every later build reads the same history: the configured
 * block, else the genesis of a local chain, else the head at the first start, because nobody can have paid terms that were never signed.
 * Null while the node that must be queried does not respond.
 */
export async function firstBlock(world: World, { chainId, local }: Chain): Promise<bigint | null> {
  const given = world.config.rpc.find((settings) => settings.chainId === chainId)?.startBlock;
  const startNumber = async () =>
    given ?? (local ? 0n : await world.nodes.asking(chainId, (client) => client.getBlockNumber({ cacheTime: 0 })));
  try {
    return (await openCursor(world.database, { chainId, startNumber })).startNumber;
  } catch (error) {
    world.log.warn({ chainId, error }, 'The chain has no reachable node yet.');
    return null;
  }
}
