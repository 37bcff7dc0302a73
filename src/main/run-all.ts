import type { Config } from '../config/config.ts';
import type { RunningPart } from './open-world.ts';
import { runApi } from './run-api.ts';
import { runIndexerPart } from './run-indexer-part.ts';
import { runWorker } from './run-worker.ts';

/**
 * The API, a worker and the indexer in one process, for a small merchant: it takes less memory, and a fault of one ends all of them.
 * With METRICS_PORT, the worker and the indexer use the next two ports. If a part cannot start, those that run are stopped and its
 * error is thrown.
 */
export async function runAll(config: Config): Promise<RunningPart> {
  const running: RunningPart[] = [];
  const stop = async () => {
    await Promise.all(running.map((part) => part.stop()));
  };
  try {
    running.push(await runWorker(withMetrics(config, 1)));
    running.push(await runApi(config));
    running.push(await runIndexerPart(withMetrics(config, 2)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function withMetrics(config: Config, offset: number): Config {
  return config.metricsPort === undefined ? config : { ...config, metricsPort: config.metricsPort + offset };
}
