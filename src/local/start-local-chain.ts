import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { connectToNode } from './evm/ask-node.ts';
import { type EvmNode, type StartEvmNodeOptions, startEvmNode } from './evm-node.ts';
import { replacePrivateFile } from './private-files.ts';

export type LocalChainOptions = { chainId: number; port: number; folder: string };

const restartLimit = 5;
const restartSpanMs = 60_000;

/**
 * Starts a chain, and restarts it if it exits unexpectedly, at most five times a minute. Throws
 * ConfigError when its state was lost, because the database then refers to a chain that no longer exists.
 */
export async function startLocalChain(
  options: LocalChainOptions,
  world: { log: (line: string) => void },
): Promise<{ node: EvmNode; stop: () => Promise<void> }> {
  const { chainId, folder } = options;
  const nodeOptions: StartEvmNodeOptions = {
    chainId,
    port: options.port,
    stateFile: join(folder, `evm-${chainId}.json`),
    logFile: join(folder, 'logs', `evm-${chainId}.log`),
    blockTimeSeconds: 1,
    // A block is final after sixteen blocks, so that finality can be observed within seconds.
    slotsInAnEpoch: 8,
    log: world.log,
  };
  const first = await startEvmNode(nodeOptions);
  let current = first;
  let stopping = false;
  const stop = async () => {
    stopping = true;
    await current.stop();
  };
  try {
    await checkGenesis(options);
  } catch (error) {
    await stop();
    throw error;
  }
  const keepRunning = async () => {
    const restarts: number[] = [];
    for (;;) {
      await current.ended;
      if (stopping) return;
      while (restarts[0] !== undefined && performance.now() - restarts[0] > restartSpanMs) restarts.shift();
      restarts.push(performance.now());
      if (restarts.length > restartLimit) throw new Error(`The node of chain ${chainId} ends too often.`);
      world.log(`The node of chain ${chainId} ended and starts again.`);
      current = await startEvmNode(nodeOptions);
      if (stopping) return await current.stop();
    }
  };
  keepRunning().catch((error: unknown) => world.log(error instanceof Error ? error.message : String(error)));
  return { node: first, stop };
}

const blockShape = z.object({ hash: z.string() });

async function checkGenesis(options: LocalChainOptions): Promise<void> {
  const file = join(options.folder, `evm-${options.chainId}.genesis`);
  const connection = connectToNode(options.port);
  const { hash } = await connection
    .result('eth_getBlockByNumber', ['0x0', false])
    .then((block) => blockShape.parse(block))
    .finally(() => connection.close());
  const known = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (known !== undefined && known !== hash) {
    throw new ConfigError(
      `The state of chain ${options.chainId} was lost, and the database describes the old one: remove ${options.folder} to start over.`,
    );
  }
  if (known === undefined) replacePrivateFile(file, hash);
}
