import type { Config } from '../config.ts';
import type { FactHandlers } from '../facts/fact-handler.ts';
import { openLogSource } from '../facts/log-source.ts';
import { runIndexer } from '../facts/run-indexer.ts';
import type { RunningProjector } from '../facts/run-projector.ts';
import { runSolanaWatcher } from '../facts/solana/run-solana-watcher.ts';
import { openVaultReader } from '../payments/solana/open-vault-reader.ts';
import { repairPayments } from '../payments/verification/repair-payments.ts';
import { openAdvisoryLocks } from '../platform/advisory-locks.ts';
import { factTable } from './fact-table.ts';
import { type Floor, openFloor, openService, type RunningPart } from './open-world.ts';

/** Ponder, the projector that turns its rows into states, and the watcher of Solana's vaults. One of these a database. */
export async function runIndexerPart(config: Config): Promise<RunningPart> {
  const floor = openFloor(config, 'indexer');
  await floor.time.follow();
  const logs = openLogSource(floor);
  const service = await openService(floor);
  const handlers = factTable({ ...floor, unexpectedTransfer: floor.instruments.unexpectedTransfer });
  const watcher = watchSolana(floor, handlers);
  const indexer = await runIndexer({
    ...floor,
    handlers,
    observer: floor.instruments.projector,
    sweep: async (chainId) => {
      await repairPayments({ ...floor, logs }, { chainId });
    },
  });
  floor.log.info({ chains: floor.registry.enabled().map((chain) => chain.chainId) }, 'The indexer observes.');
  return {
    async stop() {
      await watcher.stop();
      await indexer.stop();
      await service.close();
      await floor.time.close();
      await floor.database.$disconnect();
    },
  };
}

/** Vaults are watched wherever a Solana chain has a node: money that lies there is looked after without the secrets too. */
function watchSolana(floor: Floor, handlers: FactHandlers): RunningProjector {
  const { config, registry, log } = floor;
  const chains = config.rpc
    .filter(({ chainId }) => registry.chain(chainId)?.family === 'SOLANA')
    .map(({ chainId, pollingIntervalMs, wsUrl }) => ({ chainId, intervalMs: pollingIntervalMs, wsUrl }));
  if (chains.length === 0) return { stop: async () => undefined };
  const locks = openAdvisoryLocks({ url: config.database.directUrl, log, sessionMs: config.database.lockSessionMs });
  const reader = openVaultReader(floor);
  const watcher = runSolanaWatcher(
    { ...floor, handlers, locks, reader, observer: floor.instruments.projector },
    { chains },
  );
  return {
    async stop() {
      await watcher.stop();
      await locks.close();
    },
  };
}
