/** The indexer's process: Ponder under its supervisor, and the projector of every EVM chain. */
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Chain, Registry } from '../chains/registry.ts';
import type { Config } from '../config.ts';
import { openAdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { FactHandlers } from './fact-handler.ts';
import { type FallbackSource, withFallback } from './fallback-source.ts';
import { firstBlocks } from './first-blocks.ts';
import { openLogSource } from './log-source.ts';
import { dropStaleSchemas } from './ponder/drop-stale-schemas.ts';
import { indexedChains } from './ponder/ponder-settings.ts';
import { openPonderSource } from './ponder/ponder-source.ts';
import { type PonderSupervisor, supervisePonder } from './ponder/supervise-ponder.ts';
import type { Observation, ProjectorObserver } from './projector-world.ts';
import { type RunningProjector, runProjector } from './run-projector.ts';

export type RunningIndexer = RunningProjector;

/** Ponder lives and its rows do not move while the chain does: after this long it is started again. */
const STALL_LIMIT_MS = 600_000;
/** After which the node is read instead; on public chains a row of progress comes only every few blocks. */
const LOCAL_PATIENCE_MS = 3_000;
const PUBLIC_PATIENCE_MS = 180_000;
const TIDY_EVERY_MS = 60_000;

/** Runs until stopped. Chains whose node cannot be reached at the first start are left out until the next one. */
export async function runIndexer(options: {
  config: Pick<Config, 'ponder' | 'rpc'> & {
    database: Pick<Config['database'], 'url' | 'directUrl' | 'poolSize'> & Partial<Config['database']>;
  };
  registry: Registry;
  nodes: EvmNodes;
  database: Database;
  clock: Clock;
  log: Log;
  handlers: FactHandlers;
  observer?: ProjectorObserver;
  /** Compares open payments with the contract, beside the events. */
  sweep?: (chainId: number, onProgress: () => Promise<void>) => Promise<void>;
  /** After which the node is read instead of a Ponder that stands still; 3 s on local chains and 3 min on public ones. */
  patienceMs?: number;
}): Promise<RunningIndexer> {
  const { config, registry, log } = options;
  const startBlocks = await firstBlocks(options);
  const chains = indexedChains({ chains: registry.enabled(), rpc: config.rpc, startBlocks });
  if (chains.length === 0) {
    log.warn({}, 'No EVM chain is enabled: there is nothing to index.');
    return { faults: () => [], notes: () => ['No EVM chain is enabled.'], stop: async () => undefined };
  }
  const url = config.database.directUrl;
  const viewsSchema = config.ponder.schema;
  const supervisor = supervisePonder({ log }, { databaseUrl: url, viewsSchema, port: config.ponder.port, chains });
  const source = withFallback(
    { first: openPonderSource({ url, viewsSchema }), second: openLogSource(options), log },
    { patienceMs: (chainId) => options.patienceMs ?? usualPatience(registry.chain(chainId)) },
  );
  const locks = openAdvisoryLocks({ url, log, sessionMs: config.database.lockSessionMs });
  const watch = watchStalls({ supervisor, source, log });
  const observer: ProjectorObserver = {
    ...options.observer,
    observed: (observation) => {
      watch(observation);
      options.observer?.observed?.(observation);
    },
  };
  const projector = runProjector(
    { ...options, source, locks, observer, startBlocks },
    {
      chains: chains.map(({ chainId, pollingIntervalMs }) => ({ chainId, intervalMs: pollingIntervalMs })),
      sweep: options.sweep,
    },
  );
  const stopTidying = tidy({ url, viewsSchema, schema: supervisor.schema }, log);
  return {
    ...projector,
    async stop() {
      stopTidying();
      await projector.stop();
      await supervisor.stop();
      await source.close();
      await locks.close();
    },
  };
}

function usualPatience(chain: Chain | undefined): number {
  return chain?.local ? LOCAL_PATIENCE_MS : PUBLIC_PATIENCE_MS;
}

/** Started again at most once a limit, for a start takes its time. */
function watchStalls(world: {
  supervisor: PonderSupervisor;
  source: FallbackSource;
  log: Log;
}): (observation: Observation) => void {
  let restartedAt = performance.now();
  return ({ chainId, halted }) => {
    const isOld = performance.now() - restartedAt > STALL_LIMIT_MS;
    if (halted || !isOld || world.source.stalledMs(chainId) < STALL_LIMIT_MS) return;
    world.log.error({ chainId }, 'Ponder makes no progress and is started again.');
    restartedAt = performance.now();
    world.supervisor.restart();
  };
}

/** Until the views show this build, and the schemas of earlier ones are gone. */
function tidy(schemas: { url: string; viewsSchema: string; schema: string }, log: Log): () => void {
  const timer = setInterval(async () => {
    try {
      if (await dropStaleSchemas(schemas)) clearInterval(timer);
    } catch (error) {
      log.debug({ error }, 'Schemas of earlier builds could not be dropped yet.');
    }
  }, TIDY_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
