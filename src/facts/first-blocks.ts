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

/** By chain. `unreachable` are those whose first block is not known and whose node does not answer. */
type FirstBlocks = { blocks: Map<number, bigint>; unreachable: number[] };

/** The first block of every enabled chain with an escrow; one that cannot be reached holds up no other. */
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
 * The first block that may concern us: fixed once and kept, so that every later build reads the same history. The setting's,
 * else the genesis of a local chain, else the head at the first start, for nobody has paid terms that were never signed. Null
 * while the node that has to be asked for it does not answer.
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
