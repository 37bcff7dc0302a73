/** The indexer's process: Ponder under its supervisor, and the projector of every EVM chain. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Chain, Registry } from '../chains/registry.ts';
import type { Config } from '../config/config.ts';
import { type AdvisoryLocks, openAdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Listener } from '../platform/database/listener.ts';
import type { Log } from '../platform/log.ts';
import type { FactHandlers } from './fact-handler.ts';
import { type FallbackSource, withFallback } from './fallback-source.ts';
import { firstBlock, firstBlocks } from './first-blocks.ts';
import { openLogSource } from './log-source.ts';
import { dropStaleSchemas } from './ponder/drop-stale-schemas.ts';
import { type IndexedChain, indexedChains } from './ponder/ponder-settings.ts';
import { openPonderSource } from './ponder/ponder-source.ts';
import { type PonderSupervisor, supervisePonder } from './ponder/supervise-ponder.ts';
import type { Observation, ProjectorObserver, ProjectorWorld } from './projector-world.ts';
import { type RunningProjector, runProjector } from './run-projector.ts';

export type RunningIndexer = RunningProjector;

/** Ponder is restarted after this time if it runs and its rows do not advance while the chain does. */
const STALL_LIMIT_MS = 600_000;
/** After this time, the node is read instead. On public chains, a progress row is written only every few blocks. */
const LOCAL_PATIENCE_MS = 3_000;
const PUBLIC_PATIENCE_MS = 180_000;
const CLEAN_UP_EVERY_MS = 60_000;
const JOIN_EVERY_MS = 30_000;

type Options = {
  config: Pick<Config, 'ponder' | 'rpc'> & {
    database: Pick<Config['database'], 'url' | 'directUrl' | 'poolSize'> & Partial<Config['database']>;
  };
  registry: Registry;
  nodes: EvmNodes;
  database: Database;
  clock: Clock;
  log: Log;
  listener: Listener;
  handlers: FactHandlers;
  observer?: ProjectorObserver;
  watch?: ProjectorWorld['watch'];
  /** Compares open payments with the escrow contract, independently of the events. */
  sweep?: (chainId: number, onProgress: () => Promise<void>) => Promise<void>;
  /** Time after which the node is read instead of a stalled Ponder. Defaults to 3 s on local chains and 3 min on public ones. */
  patienceMs?: number;
  /** Interval at which a chain that could not be reached at the start is tried again. Defaults to 30 s. */
  joinEveryMs?: number;
};

/**
 * Runs until stopped. A chain whose node cannot be reached at the first start is added when it can be, without Ponder. Ponder includes
 * it at the next start.
 */
export async function runIndexer(options: Options): Promise<RunningIndexer> {
  const { config, registry, log } = options;
  const { blocks, unreachable } = await firstBlocks(options);
  const chains = indexedChains({ chains: registry.enabled(), rpc: config.rpc, startBlocks: blocks });
  if (chains.length + unreachable.length === 0) log.warn({}, 'No EVM chain is enabled: there is nothing to index.');
  const { directUrl, lockSessionMs: sessionMs } = config.database;
  const locks = openAdvisoryLocks({ url: directUrl, log, sessionMs });
  const parts = [
    ...(chains.length > 0 ? [runIndexed(options, { locks, chains, startBlocks: blocks })] : []),
    ...unreachable.map((chainId) => runLate(options, { locks, chainId })),
  ];
  return {
    faults: () => parts.flatMap((part) => part.faults()),
    notes: () => parts.flatMap((part) => part.notes()),
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await locks.close();
    },
  };
}

/** Ponder, and the projector of its chains. */
function runIndexed(
  options: Options,
  request: { locks: AdvisoryLocks; chains: readonly IndexedChain[]; startBlocks: ReadonlyMap<number, bigint> },
): RunningProjector {
  const { config, registry, log } = options;
  const { locks, chains, startBlocks } = request;
  const url = config.database.directUrl;
  const viewsSchema = config.ponder.schema;
  const supervisor = supervisePonder(
    { log, locks },
    { databaseUrl: url, viewsSchema, port: config.ponder.port, chains },
  );
  const source = withFallback(
    { first: openPonderSource({ url, viewsSchema, listener: options.listener }), second: openLogSource(options), log },
    { patienceMs: (chainId) => options.patienceMs ?? usualPatience(registry.chain(chainId)) },
  );
  const watch = watchStalls({ supervisor, source, log });
  const observer: ProjectorObserver = {
    ...options.observer,
    observed: (observation) => {
      watch(observation);
      options.observer?.observed?.(observation);
    },
  };
  const projector = runProjector(
    { ...options, source, locks, observer, startBlocks, leads: supervisor.leads },
    {
      chains: chains.map(({ chainId, pollingIntervalMs, wsUrl }) => ({
        chainId,
        intervalMs: pollingIntervalMs,
        wsUrl,
      })),
      sweep: options.sweep,
    },
  );
  const stopCleanUp = startCleanUp({ url, viewsSchema, schema: supervisor.schema }, log);
  return {
    ...projector,
    async stop() {
      stopCleanUp();
      await projector.stop();
      await supervisor.stop();
      await source.close();
    },
  };
}

/** Runs the projector of a chain that could not be reached at the start, once it can be. Its logs are read from its node. */
function runLate(options: Options, { locks, chainId }: { locks: AdvisoryLocks; chainId: number }): RunningProjector {
  const { registry, config, log } = options;
  const stopping = new AbortController();
  const chain = registry.chain(chainId);
  const intervalMs = config.rpc.find((settings) => settings.chainId === chainId)?.pollingIntervalMs;
  let projector: RunningProjector | undefined;
  const join = async () => {
    while (chain && intervalMs !== undefined && !stopping.signal.aborted) {
      await delay(options.joinEveryMs ?? JOIN_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      const block = stopping.signal.aborted ? null : await firstBlock(options, chain);
      if (block === null) continue;
      log.info(
        { chainId },
        'The chain is reachable now. Its node is read directly until the next start, when Ponder indexes the chain.',
      );
      const world = { ...options, source: openLogSource(options), locks, startBlocks: new Map([[chainId, block]]) };
      projector = runProjector(world, { chains: [{ chainId, intervalMs }], sweep: options.sweep });
      return;
    }
  };
  const joining = join();
  return {
    faults: () => projector?.faults() ?? [],
    notes: () =>
      projector?.notes() ?? [`The node of chain ${chainId} has not answered since the start; it is tried again.`],
    async stop() {
      stopping.abort();
      await joining;
      await projector?.stop();
    },
  };
}

function usualPatience(chain: Chain | undefined): number {
  return chain?.local ? LOCAL_PATIENCE_MS : PUBLIC_PATIENCE_MS;
}

/** Restarts Ponder at most once in each limit, because a start takes time. */
function watchStalls(world: {
  supervisor: PonderSupervisor;
  source: FallbackSource;
  log: Log;
}): (observation: Observation) => void {
  let restartedAt = performance.now();
  return ({ chainId, halted }) => {
    const isOld = performance.now() - restartedAt > STALL_LIMIT_MS;
    if (halted || !isOld || world.source.stalledMs(chainId) < STALL_LIMIT_MS) return;
    world.log.error({ chainId }, 'Ponder makes no progress and is restarted.');
    restartedAt = performance.now();
    world.supervisor.restart();
  };
}

/** Repeats until the views show this build and the schemas of earlier builds are dropped. */
function startCleanUp(schemas: { url: string; viewsSchema: string; schema: string }, log: Log): () => void {
  const timer = setInterval(async () => {
    try {
      if (await dropStaleSchemas(schemas)) clearInterval(timer);
    } catch (error) {
      log.debug({ error }, 'Schemas of earlier builds could not be dropped yet.');
    }
  }, CLEAN_UP_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
