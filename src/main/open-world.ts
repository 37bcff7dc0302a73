import { openDatabase } from '../../prisma/client.ts';
import { openEvmNodes } from '../chains/evm/nodes.ts';
import { loadRegistry } from '../chains/registry.ts';
import type { Config } from '../config.ts';
import { openOperatorSigner } from '../operator/operator-signer.ts';
import { systemClock } from '../platform/clock.ts';
import { openLog } from '../platform/log.ts';

/** A part of the program that runs until it is stopped. */
export type RunningPart = { stop(): Promise<void> };

/** What every part stands on. Nothing is connected yet. Throws ConfigError. */
export function openFloor(config: Config, part: string) {
  const log = openLog({ level: config.logLevel, part });
  const registry = loadRegistry({ chainsFile: config.chainsFile, rpc: config.rpc });
  const nodes = openEvmNodes({ registry, rpc: config.rpc });
  const database = openDatabase({ url: config.database.url, poolSize: config.database.poolSize });
  return { config, log, registry, nodes, database, clock: systemClock };
}

/** The operator's key, and the arbiter's where this installation holds it. Throws ConfigError without an operator. */
export function openSigners(config: Config) {
  const { privateKey } = config.arbiter;
  return {
    operator: openOperatorSigner(config.operator),
    arbiter: privateKey === undefined ? null : openOperatorSigner({ privateKey }),
  };
}
