import type { Database } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import type { VaultReader } from '../../facts/solana/vault-reader.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { interpretTransaction } from './interpret-transaction.ts';
import { sweepVaults } from './sweep-vaults.ts';
import { type WatchMemory, watchedVaults } from './watched-vaults.ts';

/** How the watcher of a Solana chain reads the vaults of payments. */
export function openVaultReader(world: {
  database: Database;
  registry: Registry;
  clock: Clock;
  log: Log;
}): VaultReader {
  const memoryOf = openMemories();
  const listenedMemoryOf = openMemories();
  return {
    watched: (request) => watchedVaults({ ...world, memory: memoryOf(request.chainId) }, request),
    listened: (request) => watchedVaults({ ...world, memory: listenedMemoryOf(request.chainId) }, request),
    interpret: (tx, transaction) => interpretTransaction(tx, world, transaction),
    async sweep({ chainId, connection }) {
      await sweepVaults({ ...world, connection, memory: memoryOf(chainId) }, { chainId, now: world.clock.now() });
    },
  };
}

/** A memory for each chain. */
function openMemories(): (chainId: number) => WatchMemory {
  const memories = new Map<number, WatchMemory>();
  return (chainId) => {
    const known = memories.get(chainId) ?? { termsThrough: null, recheck: new Set<string>() };
    memories.set(chainId, known);
    return known;
  };
}
