import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { RunningPart } from './open-world.ts';
import { runApi } from './run-api.ts';
import { runIndexerPart } from './run-indexer-part.ts';
import { runWorker } from './run-worker.ts';

const LAST_PORT = 65_535;
/** The API serves its metrics on METRICS_PORT, and the other parts on the ports after it. */
const OFFSETS = { worker: 1, indexer: 2 } as const;

/**
 * Runs the API, a worker and the indexer in one process, for a small merchant. This takes less memory, but a fault of one ends all of
 * them. Throws ConfigError if the two ports after METRICS_PORT are not valid ports, and the error of a part that cannot start; the
 * caller then ends the process.
 */
export async function runAll(config: Config): Promise<RunningPart> {
  const highest = LAST_PORT - OFFSETS.indexer;
  if (config.metricsPort !== undefined && config.metricsPort > highest) {
    throw new ConfigError(
      `METRICS_PORT: At most ${highest} in one process, because the worker and the indexer use the two ports after it.`,
    );
  }
  const running = [
    await runWorker(withMetrics(config, OFFSETS.worker)),
    await runApi(config),
    await runIndexerPart(withMetrics(config, OFFSETS.indexer)),
  ];
  return {
    async stop() {
      await Promise.all(running.map((part) => part.stop()));
    },
  };
}

function withMetrics(config: Config, offset: number): Config {
  return config.metricsPort === undefined ? config : { ...config, metricsPort: config.metricsPort + offset };
}
