import { openBoundedDatabase } from '../../prisma/client.ts';
import type { DatabaseBounds } from '../../prisma/database-pools.ts';
import { openEvmNodes } from '../chains/evm/nodes.ts';
import { loadRegistry } from '../chains/registry.ts';
import { openSolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import { openSuiNodes } from '../chains/sui/open-sui-nodes.ts';
import type { Config } from '../config/config.ts';
import { warnOfDatabaseRole } from '../operations/health/database-role.ts';
import { openReadiness } from '../operations/health/read-readiness.ts';
import { openInstruments } from '../operations/metrics/instruments.ts';
import { registerTableGauges } from '../operations/metrics/table-gauges.ts';
import { openExternalSigner } from '../operator/external-signer.ts';
import { openOperatorSigner, openSenderKeys } from '../operator/operator-signer.ts';
import { systemClock } from '../platform/clock.ts';
import { openListener } from '../platform/database/listener.ts';
import { openLog } from '../platform/log.ts';
import { openMetrics } from '../platform/metrics.ts';
import { openServiceEndpoints, type Readiness, serveEndpoints } from '../platform/service-endpoints.ts';
import { openClock } from '../test-clock/open-clock.ts';
import { isMovable } from '../test-clock/test-clock.ts';
import { requireOperatorAlone, requirePayableParties, requireSendersApart } from './require-parties.ts';

/** A part of the program that runs until it is stopped. */
export type RunningPart = { stop(): Promise<void> };

export type Base = ReturnType<typeof openBase>;

/** Opens what every part needs. Nothing is connected yet, and `clock` is the real clock until `time.follow()`. Throws ConfigError. */
export function openBase(config: Config, part: string) {
  const log = openLog({ level: config.logLevel, part });
  const metrics = openMetrics({ part, log });
  const instruments = openInstruments(metrics);
  const registry = loadRegistry(config);
  requirePayableParties(config, registry);
  const observers = { observe: instruments.rpc, onUnavailable: instruments.chainUnavailable };
  const nodes = openEvmNodes({ registry, rpc: config.rpc, ...observers });
  const solanaNodes = openSolanaNodes({ registry, rpc: config.rpc, ...observers });
  const suiNodes = openSuiNodes({ registry, rpc: config.rpc, ...observers });
  const { url, directUrl, poolSize, readPoolSize } = config.database;
  const database = openBoundedDatabase({
    url,
    isPooled: url !== directUrl,
    writes: poolSize,
    reads: readPoolSize,
    bounds: boundsOf(config, part),
  });
  const listener = openListener({ url: directUrl, log });
  const time = openClock({ database, listener, log, movable: isMovable(registry) });
  const clocks = { clock: time.clock, realClock: systemClock, time };
  return { config, log, registry, nodes, solanaNodes, suiNodes, database, listener, ...clocks, metrics, instruments };
}

/** Callers wait for the API. Bulk work of the other parts may take longer. */
function boundsOf({ database }: Config, part: string): DatabaseBounds {
  return part === 'api' ? database.bounds : { ...database.bounds, statementMs: database.batchMs };
}

/**
 * Serves /healthz, /readyz and /metrics of a part on METRICS_PORT, where that is set. Also returns the endpoints that the API serves on its
 * own port, where /metrics is available to local callers, or to no callers if METRICS_PORT is set. `readOwn` reports the part's own
 * readiness.
 */
export async function openService(base: Base, readOwn?: () => Readiness) {
  const { config, log } = base;
  const byRealTime = { ...base, clock: base.realClock };
  registerTableGauges(byRealTime);
  // Not awaited, because a part can start while its database is unreachable.
  void warnOfDatabaseRole({ databaseUrl: config.database.url, log });
  const world = { metrics: base.metrics, readiness: openReadiness(byRealTime, readOwn), log };
  const port = config.metricsPort;
  const own =
    port === undefined
      ? null
      : await serveEndpoints(openServiceEndpoints(world, { metricsFor: 'ANYBODY' }), { host: config.host, port });
  return {
    endpoints: openServiceEndpoints(world, { metricsFor: own ? 'NOBODY' : 'LOCAL' }),
    close: async () => own?.close(),
  };
}

/**
 * Opens the operator's key, the arbiter's key where this installation holds it, and the sender keys. Throws ConfigError without an operator,
 * where the arbiter is the operator, and where a sender key is one of them or is listed twice.
 */
export async function openSigners(world: Pick<Base, 'config' | 'registry'>) {
  const { privateKey } = world.config.arbiter;
  const { signer } = world.config.operator;
  const signers = {
    operator: signer ? await openExternalSigner(signer) : openOperatorSigner(world.config.operator),
    arbiter: privateKey === undefined ? null : openOperatorSigner({ privateKey, setting: 'ARBITER_PRIVATE_KEY' }),
    senders: openSenderKeys(world.config.senders),
  };
  requireOperatorAlone(world, signers);
  requireSendersApart(signers);
  return signers;
}
