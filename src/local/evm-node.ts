/**
 * A local EVM chain. It runs the platform package's own binary, because the npm wrapper would leave the node running when it is killed.
 * With a state file, the chain survives any termination at any time: the node is then reached through this process, which journals all
 * writes, so that everything that a client has seen is still there after a restart.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { isAlive, isRunningWith, stopProcess } from './child-process.ts';
import { adoptEarlierState } from './evm/adopt-earlier-state.ts';
import { connectToNode, type NodeConnection } from './evm/ask-node.ts';
import { type ChainFront, findFreePort, openChainFront } from './evm/chain-front.ts';
import { type ChainJournal, openChainJournal } from './evm/chain-journal.ts';
import { repeatJournal } from './evm/repeat-journal.ts';
import { dumpState, writeChain } from './evm/write-chain.ts';
import { startHeartbeat } from './heartbeat.ts';
import { openPrivateLog, PRIVATE_FOLDER, underPrivateUmask, writePrivateFile } from './private-files.ts';

export type EvmNode = {
  chainId: number;
  rpcUrl: string;
  pid: number;
  /** Stops the node. */
  stop(): Promise<void>;
  /** Resolves when the node has ended for any reason and its port is free again. */
  ended: Promise<void>;
};

export type StartEvmNodeOptions = {
  chainId: number;
  port: number;
  /** Absolute path. It is the prefix of the files that persist the chain and of the pid file. */
  stateFile?: string;
  /** Mine a block if the newest one is older than this, so that time passes on chain. If omitted, only transactions produce blocks. */
  blockTimeSeconds?: number;
  /** A block is final after twice this many blocks. Defaults to 32, as on Ethereum mainnet. */
  slotsInAnEpoch?: number;
  /** File of the node's own log. If omitted, no log is written. */
  logFile?: string;
  /** Receives messages about a node that was found running, and about blocks that could not be replayed. */
  log?: (line: string) => void;
};

const startLimitMs = 30_000;
const stopLimitMs = 20_000;
const portAttempts = 3;
const quantity = z.string().transform(Number);

/**
 * Starts the node and resolves when it accepts calls. Throws ConfigError when another server uses the port, naming the setting
 * LOCAL_EVM_PORT_<chainId>.
 */
export async function startEvmNode(options: StartEvmNodeOptions): Promise<EvmNode> {
  const { stateFile } = options;
  return stateFile === undefined ? startFleetingNode(options) : startKeptNode({ ...options, stateFile });
}

/** Starts a node that is reached directly and loses its chain when it ends. */
async function startFleetingNode(options: StartEvmNodeOptions): Promise<EvmNode> {
  const { chainId, port } = options;
  const rpcUrl = `http://127.0.0.1:${port}`;
  if ((await askChainId(rpcUrl)) !== 'down') throw new ConfigError(portIsTaken(options));
  const pid = await untilAnswering(spawnNode(options, ['--port', String(port)]), { chainId, rpcUrl });
  const stopBeat = startHeartbeat({ rpcUrl, blockTimeSeconds: options.blockTimeSeconds });
  const stop = async () => {
    stopBeat();
    await stopProcess(pid, 'SIGINT', stopLimitMs);
  };
  return { chainId, rpcUrl, pid, stop, ended: whenEnded(pid).finally(stopBeat) };
}

type KeptOptions = StartEvmNodeOptions & { stateFile: string };

async function startKeptNode(options: KeptOptions): Promise<EvmNode> {
  const { chainId, port, stateFile } = options;
  mkdirSync(dirname(stateFile), { recursive: true, mode: PRIVATE_FOLDER });
  const front = await openChainFront({ port, setting: `LOCAL_EVM_PORT_${chainId}` });
  let journal: ChainJournal | undefined;
  try {
    await endOrphan(options);
    await adoptEarlierState(stateFile);
    journal = await openChainJournal(stateFile);
    return await startBehind(front, journal, options);
  } catch (error) {
    await journal?.close();
    await front.close();
    throw error;
  }
}

async function startBehind(front: ChainFront, journal: ChainJournal, options: KeptOptions): Promise<EvmNode> {
  const { chainId, port, stateFile } = options;
  const genesisTimestamp = journal.kept?.genesisTimestamp ?? Math.floor(Date.now() / 1000);
  const { pid, nodePort } = await startKeeping(options, { genesisTimestamp, snapshot: journal.kept?.snapshotFile });
  const node = connectToNode(nodePort);
  try {
    await restoreChain(node, journal, { ...options, genesisTimestamp });
  } catch (error) {
    await stopProcess(pid, 'SIGKILL', stopLimitMs);
    throw error;
  }
  const head = quantity.parse(await node.result('eth_blockNumber'));
  const fail = () => void stopProcess(pid, 'SIGKILL', stopLimitMs).catch(() => undefined);
  const writer = writeChain(node, journal, { head, genesisTimestamp, fail });
  front.open({ node, nodePort, writer });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const stopBeat = startHeartbeat({ rpcUrl, blockTimeSeconds: options.blockTimeSeconds });
  const ended = whenEnded(pid).then(async () => {
    stopBeat();
    await front.close();
    node.close();
    await journal.close();
  });
  const stop = async () => {
    stopBeat();
    // Without a snapshot, the next start has more to replay, but nothing is lost.
    await writer.end().catch(() => undefined);
    await stopProcess(pid, 'SIGKILL', stopLimitMs);
    await ended;
    rmSync(pidFileOf(stateFile), { force: true });
    rmSync(statesOf(stateFile), { recursive: true, force: true });
  };
  return { chainId, rpcUrl, pid, stop, ended };
}

/** Restores the chain from the loaded snapshot to the newest block in the journal, or takes the first snapshot. */
async function restoreChain(
  node: NodeConnection,
  journal: ChainJournal,
  options: KeptOptions & { genesisTimestamp: number },
): Promise<void> {
  const { chainId, genesisTimestamp } = options;
  if (!journal.kept) return journal.renew(await dumpState(node), { genesisTimestamp });
  const { differsFrom } = await repeatJournal(node, journal.kept.turns);
  if (differsFrom) {
    options.log?.(
      `Chain ${chainId} could not reproduce block ${differsFrom.number}, and continues with different blocks from there.`,
    );
    await journal.renew(await dumpState(node), { genesisTimestamp });
  }
  const newest = z.object({ timestamp: quantity }).parse(await node.result('eth_getBlockByNumber', ['latest', false]));
  // A node derives its time from genesis at each start. A chain whose time was moved ahead must continue from its newest block.
  await node.result('evm_setTime', [Math.max(newest.timestamp, Math.floor(Date.now() / 1000))]);
}

async function startKeeping(
  options: KeptOptions,
  chain: { genesisTimestamp: number; snapshot: string | undefined },
): Promise<{ pid: number; nodePort: number }> {
  const { chainId, stateFile } = options;
  const args = ['--no-mining', '--order', 'fifo', '--timestamp', String(chain.genesisTimestamp)];
  // The path also identifies a node that was left behind.
  args.push('--cache-path', statesOf(stateFile));
  if (chain.snapshot !== undefined) args.push('--load-state', chain.snapshot);
  rmSync(statesOf(stateFile), { recursive: true, force: true });
  for (let attempt = 1; ; attempt += 1) {
    const nodePort = await findFreePort();
    const child = spawnNode(options, [...args, '--port', String(nodePort)]);
    if (child.pid !== undefined) writePrivateFile(pidFileOf(stateFile), String(child.pid));
    try {
      const pid = await untilAnswering(child, { chainId, rpcUrl: `http://127.0.0.1:${nodePort}` });
      return { pid, nodePort };
    } catch (error) {
      // Another process may have taken the port.
      if (attempt === portAttempts) throw error;
    }
  }
}

/** Stops a node whose parent was killed, because nothing can reach it any more. */
async function endOrphan(options: KeptOptions): Promise<void> {
  const pid = readPid(pidFileOf(options.stateFile));
  if (pid === undefined || !isRunningWith(pid, options.stateFile)) return;
  options.log?.(
    `Stopped the node of chain ${options.chainId} that an earlier start had left running (process ${pid}).`,
  );
  await stopProcess(pid, 'SIGKILL', stopLimitMs);
}

async function untilAnswering(
  child: ChildProcess,
  { chainId, rpcUrl }: { chainId: number; rpcUrl: string },
): Promise<number> {
  const failure = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The node of chain ${chainId} exited with code ${code}.`)));
  });
  failure.catch(() => undefined);
  const deadline = Date.now() + startLimitMs;
  while (Date.now() < deadline) {
    const answer = await Promise.race([askChainId(rpcUrl), failure]);
    if (answer === chainId && child.pid !== undefined) return child.pid;
    await Promise.race([delay(30), failure]);
  }
  child.kill('SIGKILL');
  throw new Error(`The node of chain ${chainId} did not respond within ${startLimitMs} ms.`);
}

function spawnNode(options: StartEvmNodeOptions, more: string[]): ChildProcess {
  const log = options.logFile === undefined ? 'ignore' : openPrivateLog(options.logFile);
  const args = ['--host', '127.0.0.1', '--chain-id', String(options.chainId), '--hardfork', 'prague'];
  args.push('--slots-in-an-epoch', String(options.slotsInAnEpoch ?? 32), ...more);
  try {
    return underPrivateUmask(() =>
      spawn(nodeBinary(), args, {
        // Ctrl-C in a terminal must reach the node through stop(), after the processes that still call it.
        detached: options.stateFile !== undefined,
        stdio: ['ignore', log, log],
      }),
    );
  } finally {
    if (typeof log === 'number') closeSync(log);
  }
}

function nodeBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const manifest = require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`);
  const file = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
  if ((statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755);
  return file;
}

async function whenEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await delay(250, undefined, { ref: false });
}

async function askChainId(rpcUrl: string, attempts = 4): Promise<number | 'down' | 'foreign'> {
  try {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(5000),
    });
    const answer = z.object({ result: z.string() }).safeParse(await response.json());
    return answer.success ? Number(answer.data.result) : 'foreign';
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    // An error on a pooled connection to a node that has since ended does not show whether the port is in use.
    if (code === 'UND_ERR_SOCKET' && attempts > 1) return askChainId(rpcUrl, attempts - 1);
    return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? 'down' : 'foreign';
  }
}

function readPid(file: string): number | undefined {
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

function pidFileOf(stateFile: string): string {
  return `${stateFile}.pid`;
}

/** States of old blocks, which the node writes to disk. They are useless after it has ended. */
function statesOf(stateFile: string): string {
  return `${stateFile}.states`;
}

function portIsTaken({ chainId, port }: StartEvmNodeOptions): string {
  return `LOCAL_EVM_PORT_${chainId}: port ${port} is in use by another process.`;
}
