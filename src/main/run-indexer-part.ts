import type { Config } from '../config/config.ts';
import type { FactHandlers } from '../facts/fact-handler.ts';
import { openLogSource } from '../facts/log-source.ts';
import { runIndexer } from '../facts/run-indexer.ts';
import type { RunningProjector } from '../facts/run-projector.ts';
import { runSolanaWatcher } from '../facts/solana/run-solana-watcher.ts';
import { openVaultReader } from '../payments/solana/open-vault-reader.ts';
import { repairPayments } from '../payments/verification/repair-payments.ts';
import { newExactMemory } from '../payments/x402/exact/watch-exact.ts';
import { openAdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Readiness } from '../platform/service-endpoints.ts';
import { factTable } from './fact-table.ts';
import { type Base, openBase, openService, type RunningPart } from './open-world.ts';
import { watchBalances } from './watch-balances.ts';

/** Runs Ponder, the projector that turns its rows into states, and the watcher of Solana vaults. Of several indexers of one database, one leads and the others stand by. */
export async function runIndexerPart(config: Config): Promise<RunningPart> {
  const base = openBase(config, 'indexer');
  await base.time.follow();
  const logs = openLogSource(base);
  const loops: Pick<RunningProjector, 'faults' | 'notes'>[] = [];
  const service = await openService(base, () => ownReadiness(loops));
  const memory = newExactMemory();
  const handlers = factTable({ ...base, unexpectedTransfer: base.instruments.unexpectedTransfer });
  const watcher = watchSolana(base, handlers);
  loops.push(watcher);
  const indexer = await runIndexer({
    ...base,
    handlers,
    observer: base.instruments.projector,
    watch: (view) => watchBalances({ ...base, memory }, view),
    sweep: async (chainId, onProgress) => {
      await repairPayments({ ...base, logs }, { chainId, onProgress });
    },
  });
  loops.push(indexer);
  base.log.info({ chains: base.registry.enabled().map((chain) => chain.chainId) }, 'The indexer is running.');
  return {
    async stop() {
      await watcher.stop();
      await indexer.stop();
      await service.close();
      await base.time.close();
      await base.listener.close();
      await base.database.$disconnect();
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
function watchSolana(base: Base, handlers: FactHandlers): RunningProjector {
  const { config, registry, log } = base;
  const chains = config.rpc
    .filter(({ chainId }) => registry.chain(chainId)?.family === 'SOLANA')
    .map(({ chainId, pollingIntervalMs, wsUrl }) => ({ chainId, intervalMs: pollingIntervalMs, wsUrl }));
  if (chains.length === 0) return { faults: () => [], notes: () => [], stop: async () => undefined };
  const locks = openAdvisoryLocks({ url: config.database.directUrl, log, sessionMs: config.database.lockSessionMs });
  const reader = openVaultReader(base);
  const watcher = runSolanaWatcher(
    { ...base, handlers, locks, reader, observer: base.instruments.projector },
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
