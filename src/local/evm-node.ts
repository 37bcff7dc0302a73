/**
 * A local EVM chain: the platform package's own binary, for the npm wrapper around it would leave the node running when
 * it is killed. With a state file the chain outlives a restart, and a node that a killed parent left is found again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http, publicActions } from 'viem';
import { z } from 'zod';
import { ConfigError } from '../config.ts';
import { isAlive, isRunningWith, stopProcess } from './child-process.ts';
import { startHeartbeat } from './heartbeat.ts';
import {
  openPrivateLog,
  PRIVATE_FOLDER,
  replacePrivateFile,
  underPrivateUmask,
  writePrivateFile,
} from './private-files.ts';

export type EvmNode = {
  chainId: number;
  rpcUrl: string;
  pid: number;
  /** Ends the node; with a state file it writes the chain first. */
  stop(): Promise<void>;
  /** Resolves when the node ends, by whatever hand. */
  ended: Promise<void>;
};

export type StartEvmNodeOptions = {
  chainId: number;
  port: number;
  /** Absolute; the chain is written to it each second, and its pid and log lie beside it. */
  stateFile?: string;
  /** Mine a block when the newest is older, so that time passes on chain; without it only transactions make blocks. */
  blockTimeSeconds?: number;
  /** Blocks until final are twice this many; 32 like the main network. */
  slotsInAnEpoch?: number;
  /** The node's own log; without it nothing is written. */
  logFile?: string;
  /** Told of a repaired state and of a node found running. */
  log?: (line: string) => void;
};

const startLimitMs = 30_000;
const stopLimitMs = 20_000;
const copyEveryMs = 5_000;

/**
 * Starts the node and answers when it takes calls. Throws ConfigError when the port is taken by something else, naming
 * the setting LOCAL_EVM_PORT_<chainId>.
 */
export async function startEvmNode(options: StartEvmNodeOptions): Promise<EvmNode> {
  const rpcUrl = `http://127.0.0.1:${options.port}`;
  if (options.stateFile) mkdirSync(dirname(options.stateFile), { recursive: true, mode: PRIVATE_FOLDER });
  const found = await findRunning(options, rpcUrl);
  if (found !== undefined) options.log?.(`Chain ${options.chainId} was still running (process ${found}).`);
  const pid = found ?? (await startNew(options, rpcUrl));
  const stopBeat = startHeartbeat({ rpcUrl, blockTimeSeconds: options.blockTimeSeconds });
  const stopCopies = keepCopies(options.stateFile);
  const ended = whenEnded(pid).finally(() => {
    stopBeat();
    stopCopies();
  });
  const stop = async () => {
    stopBeat();
    stopCopies();
    await stopProcess(pid, 'SIGINT', stopLimitMs);
    if (options.stateFile) rmSync(pidFileOf(options.stateFile), { force: true });
  };
  return { chainId: options.chainId, rpcUrl, pid, stop, ended };
}

/** The pid of our node if it still runs; a mute one is ended, a stranger on the port is an error. */
async function findRunning(options: StartEvmNodeOptions, rpcUrl: string): Promise<number | undefined> {
  const { stateFile } = options;
  const pid = stateFile === undefined ? undefined : readPid(pidFileOf(stateFile));
  const answer = await askChainId(rpcUrl);
  if (pid !== undefined && stateFile !== undefined && isRunningWith(pid, stateFile)) {
    if (answer === options.chainId) return pid;
    await stopProcess(pid, 'SIGINT', stopLimitMs);
    if (answer === 'down') return undefined;
  }
  const now = pid === undefined ? answer : await askChainId(rpcUrl);
  if (now === 'down') return undefined;
  throw new ConfigError(`LOCAL_EVM_PORT_${options.chainId}: port ${options.port} is taken by another server.`);
}

async function startNew(options: StartEvmNodeOptions, rpcUrl: string): Promise<number> {
  if (options.stateFile) repairState(options.stateFile, options.log);
  if (options.stateFile) keepFirstGenesis(options.stateFile);
  const child = spawnNode(options);
  const failure = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The node of chain ${options.chainId} ended with ${code}.`)));
  });
  failure.catch(() => undefined);
  const deadline = Date.now() + startLimitMs;
  while (Date.now() < deadline) {
    const answer = await Promise.race([askChainId(rpcUrl), failure]);
    if (answer === options.chainId && child.pid !== undefined) {
      if (options.stateFile) writePrivateFile(pidFileOf(options.stateFile), String(child.pid));
      if (options.stateFile) await keepTime(rpcUrl);
      return child.pid;
    }
    await Promise.race([delay(30), failure]);
  }
  child.kill('SIGKILL');
  throw new Error(`The node of chain ${options.chainId} did not answer within ${startLimitMs} ms.`);
}

/** A node counts from the machine's time at each start; a chain whose time was moved ahead goes on where it was. */
async function keepTime(rpcUrl: string): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
  const newest = await client.getBlock();
  const aheadSeconds = Number(newest.timestamp) - Math.floor(Date.now() / 1000);
  if (aheadSeconds > 0) await client.increaseTime({ seconds: aheadSeconds });
}

function spawnNode(options: StartEvmNodeOptions): ChildProcess {
  const log = options.logFile === undefined ? 'ignore' : openPrivateLog(options.logFile);
  const args = ['--host', '127.0.0.1', '--port', String(options.port), '--chain-id', String(options.chainId)];
  args.push('--hardfork', 'prague', '--slots-in-an-epoch', String(options.slotsInAnEpoch ?? 32));
  // Old states are asked for by block hash; on disk they would outgrow the chain itself.
  if (options.stateFile) args.push('--state', options.stateFile, '--state-interval', '1');
  return underPrivateUmask(() =>
    spawn(nodeBinary(), args, {
      // Ctrl-C in a terminal must reach it through stop(), after those who still call it.
      detached: options.stateFile !== undefined,
      stdio: ['ignore', log, log],
    }),
  );
}

function nodeBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const manifest = require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`);
  const file = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
  if ((statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755);
  return file;
}

/** A node that was killed while it wrote leaves half a file: the last whole copy is put in its place. */
function repairState(stateFile: string, log: ((line: string) => void) | undefined): void {
  if (!existsSync(stateFile) || isWhole(stateFile)) return;
  const copy = copyOf(stateFile);
  if (!existsSync(copy)) {
    rmSync(stateFile);
    log?.(`${stateFile} was torn and had no copy: the chain starts anew.`);
    return;
  }
  copyFileSync(copy, stateFile);
  log?.(`${stateFile} was torn: the chain goes on from its copy.`);
}

const stateShape = z.looseObject({
  blocks: z.array(z.looseObject({ header: z.looseObject({ number: z.string(), timestamp: z.string() }) })),
});

/**
 * At each start the node adds a genesis of its own to what it keeps; of several, chance says at the next start which one
 * the chain begins with. The oldest is the chain's.
 */
function keepFirstGenesis(stateFile: string): void {
  if (!existsSync(stateFile)) return;
  const state = stateShape.safeParse(JSON.parse(readFileSync(stateFile, 'utf8')));
  if (!state.success) return;
  const { blocks } = state.data;
  const geneses = blocks.filter(({ header }) => BigInt(header.number) === 0n);
  const [first] = geneses.toSorted((left, right) => Number(left.header.timestamp) - Number(right.header.timestamp));
  if (geneses.length < 2 || !first) return;
  const kept = blocks.filter((block) => block === first || BigInt(block.header.number) !== 0n);
  replacePrivateFile(stateFile, JSON.stringify({ ...state.data, blocks: kept }));
}

function isWhole(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** Copies the state beside itself whenever it changed and is whole. */
function keepCopies(stateFile: string | undefined): () => void {
  if (stateFile === undefined) return () => undefined;
  let copiedAt = 0;
  const timer = setInterval(() => {
    if (!existsSync(stateFile)) return;
    const changedAt = statSync(stateFile).mtimeMs;
    if (changedAt === copiedAt) return;
    const partial = `${copyOf(stateFile)}.partial`;
    // Not by copyFileSync, which never returns when the node shortens the file meanwhile.
    writePrivateFile(partial, readFileSync(stateFile));
    if (!isWhole(partial)) return;
    renameSync(partial, copyOf(stateFile));
    copiedAt = changedAt;
  }, copyEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function whenEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await delay(250, undefined, { ref: false });
}

async function askChainId(rpcUrl: string, tries = 4): Promise<number | 'down' | 'foreign'> {
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
    // A kept connection to a node that has ended meanwhile says nothing about the port.
    if (code === 'UND_ERR_SOCKET' && tries > 1) return askChainId(rpcUrl, tries - 1);
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

function copyOf(stateFile: string): string {
  return `${stateFile}.copy`;
}
