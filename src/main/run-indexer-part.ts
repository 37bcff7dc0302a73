import type { Config } from '../config/config.ts';
import type { FactHandlers } from '../facts/fact-handler.ts';
import { openLogSource } from '../facts/log-source.ts';
import { runIndexer } from '../facts/run-indexer.ts';
import type { RunningProjector } from '../facts/run-projector.ts';
import { runSolanaWatcher } from '../facts/solana/run-solana-watcher.ts';
import { openVaultReader } from '../payments/solana/open-vault-reader.ts';
import { repairPayments } from '../payments/verification/repair-payments.ts';
import { openAdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Readiness } from '../platform/service-endpoints.ts';
import { factTable } from './fact-table.ts';
import { type Floor, openFloor, openService, type RunningPart } from './open-world.ts';
import { watchBalances } from './watch-balances.ts';

/** Runs Ponder, the projector that turns its rows into states, and the watcher of Solana vaults. Of several indexers of one database, one leads and the others stand by. */
export async function runIndexerPart(config: Config): Promise<RunningPart> {
  const floor = openFloor(config, 'indexer');
  await floor.time.follow();
  const logs = openLogSource(floor);
  const loops: Pick<RunningProjector, 'faults' | 'notes'>[] = [];
  const service = await openService(floor, () => ownReadiness(loops));
  const handlers = factTable({ ...floor, unexpectedTransfer: floor.instruments.unexpectedTransfer });
  const watcher = watchSolana(floor, handlers);
  loops.push(watcher);
  const indexer = await runIndexer({
    ...floor,
    handlers,
    observer: floor.instruments.projector,
    watch: (view) => watchBalances(floor, view),
    sweep: async (chainId, onProgress) => {
      await repairPayments({ ...floor, logs }, { chainId, onProgress });
    },
  });
  loops.push(indexer);
  floor.log.info({ chains: floor.registry.enabled().map((chain) => chain.chainId) }, 'The indexer is running.');
  return {
    async stop() {
      await watcher.stop();
      await indexer.stop();
      await service.close();
      await floor.time.close();
      await floor.listener.close();
      await floor.database.$disconnect();
    },
  };
}

/** The process does no work until its projectors run, so it is not ready before that. */
function ownReadiness(loops: readonly Pick<RunningProjector, 'faults' | 'notes'>[]): Readiness {
  const faults = loops.flatMap((loop) => loop.faults());
  return {
    faults: loops.length < 2 ? [...faults, 'The indexer is starting.'] : faults,
    notes: loops.flatMap((loop) => loop.notes()),
  };
}

/** Vaults are watched wherever a Solana chain has a node: deposits are observed even without the secrets. */
function watchSolana(floor: Floor, handlers: FactHandlers): RunningProjector {
  const { config, registry, log } = floor;
  const chains = config.rpc
    .filter(({ chainId }) => registry.chain(chainId)?.family === 'SOLANA')
    .map(({ chainId, pollingIntervalMs, wsUrl }) => ({ chainId, intervalMs: pollingIntervalMs, wsUrl }));
  if (chains.length === 0) return { faults: () => [], notes: () => [], stop: async () => undefined };
  const locks = openAdvisoryLocks({ url: config.database.directUrl, log, sessionMs: config.database.lockSessionMs });
  const reader = openVaultReader(floor);
  const watcher = runSolanaWatcher(
    { ...floor, handlers, locks, reader, observer: floor.instruments.projector },
    { chains },
  );
  return {
    ...watcher,
    async stop() {
      await watcher.stop();
      await locks.close();
    },
  };
}
