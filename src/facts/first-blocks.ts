import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { Config } from '../config.ts';
import type { Log } from '../platform/log.ts';
import { openCursor } from './store.ts';

const TRIES = 10;
const PAUSE_MS = 1_000;

/**
 * The first block that may concern us, by chain: fixed once and kept, so that every later build reads the same history.
 * The setting's, else the genesis of a local chain, else the head at the first start, for nobody has paid terms that
 * were never signed.
 */
export async function firstBlocks(world: {
  config: Pick<Config, 'rpc'>;
  registry: Registry;
  nodes: EvmNodes;
  database: Database;
  log: Log;
}): Promise<Map<number, bigint>> {
  const blocks = new Map<number, bigint>();
  for (const chain of world.registry.enabled()) {
    if (chain.family !== 'EVM' || !chain.escrow) continue;
    const { chainId, local } = chain;
    const given = world.config.rpc.find((settings) => settings.chainId === chainId)?.startBlock;
    const startNumber = async () => given ?? (local ? 0n : await readHead(world, chainId));
    try {
      const cursor = await openCursor(world.database, { chainId, startNumber });
      if (cursor.startNumber !== null) blocks.set(chainId, cursor.startNumber);
    } catch (error) {
      world.log.error({ chainId, error }, 'The chain has no reachable node and is left out until the next start.');
    }
  }
  return blocks;
}

async function readHead(world: { nodes: EvmNodes; log: Log }, chainId: number, tries = TRIES): Promise<bigint> {
  try {
    return await world.nodes.asking(chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  } catch (error) {
    if (tries <= 1) throw error;
    await delay(PAUSE_MS);
    return await readHead(world, chainId, tries - 1);
  }
}
