import type { Config } from '../config.ts';
import { openLogSource } from '../facts/log-source.ts';
import { runIndexer } from '../facts/run-indexer.ts';
import { repairPayments } from '../payments/verification/repair-payments.ts';
import { factTable } from './fact-table.ts';
import { openFloor, openService, type RunningPart } from './open-world.ts';

/** Ponder, and the projector that turns its rows into states. One of these a database. */
export async function runIndexerPart(config: Config): Promise<RunningPart> {
  const floor = openFloor(config, 'indexer');
  await floor.time.follow();
  const logs = openLogSource(floor);
  const service = await openService(floor);
  const indexer = await runIndexer({
    ...floor,
    handlers: factTable({ ...floor, unexpectedTransfer: floor.instruments.unexpectedTransfer }),
    observer: floor.instruments.projector,
    sweep: async (chainId) => {
      await repairPayments({ ...floor, logs }, { chainId });
    },
  });
  floor.log.info({ chains: floor.registry.enabled().map((chain) => chain.chainId) }, 'The indexer observes.');
  return {
    async stop() {
      await indexer.stop();
      await service.close();
      await floor.time.close();
      await floor.database.$disconnect();
    },
  };
}
