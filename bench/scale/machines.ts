/**
 * The parts of an installation as they run on several machines: two APIs behind HAProxy, workers, and two indexers, on the cluster of
 * cluster.ts and one local chain. Each part is `npm run <part>` with settings of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createTestClient, http, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { deployMigrations } from '../../prisma/migrate.ts';
import type { Demo } from '../../src/local/demo-file.ts';
import { checkoutFolder, parseLocalSettings } from '../../src/local/local-settings.ts';
import { openSetUp } from '../../src/local/set-up/run-set-up.ts';
import { startLocalChain } from '../../src/local/start-local-chain.ts';
import { freePort } from '../../test/setup/free-port.ts';
import { withoutLimits } from '../servers/open-installation.ts';
import { type Cluster, until } from './cluster.ts';

export type Machines = {
  demo: Demo;
  /** Where HAProxy serves the APIs. */
  apiUrl: string;
  /** Part names, such as `worker 2`, with their process ids. */
  pids(): Map<string, number>;
  /** Starts or stops workers until `count` are running, with the first `count` sender keys. */
  runWorkers(count: number): Promise<void>;
  /** Which indexer leads each chain, according to the readiness of the indexers. */
  leadingIndexers(): Promise<string[]>;
  /** Kills a part, as a power failure would. */
  kill(name: string): void;
  /** Starts a part that was killed, with the settings that it had, and resolves when it is ready. */
  restart(name: string): Promise<void>;
  /** Runs an `ops` command and returns its output as JSON. */
  operate(args: readonly string[]): Promise<unknown>;
  stop(): Promise<void>;
};

const CHAIN_ID = 31337;
const SENDER_KEYS = 4;
const STOP_LIMIT_MS = 25_000;
const mainScript = join(checkoutFolder, 'src', 'main.ts');

type Part = { child: ChildProcess; metricsPort: number };
type Settings = Record<string, string>;

export async function openMachines(
  cluster: Cluster,
  { folder, print }: { folder: string; print: (line: string) => void },
): Promise<Machines> {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const chain = await startLocalChain({ chainId: CHAIN_ID, port: await freePort(), folder }, { log: print });
  const parts = new Map<string, Part>();
  const settingsOf = new Map<string, Settings>();
  const stop = async () => {
    await Promise.all([...parts.keys()].map((name) => end(parts, name)));
    await chain.stop();
  };
  try {
    await deployMigrations(cluster.directUrl);
    const settings = parseLocalSettings({ LOCAL_FOLDER: folder, PORT: String(cluster.apiPort) });
    const { environment, demo } = await openSetUp({ PATH: process.env.PATH, HOME: process.env.HOME }).run({
      settings,
      databaseUrl: cluster.directUrl,
      nodes: [{ chainId: CHAIN_ID, rpcUrl: chain.node.rpcUrl }],
      solana: null,
      sui: null,
      demoFile: join(folder, 'demo.json'),
    });
    if (!demo) throw new Error('The set-up has made no demo merchant.');
    const senders = await fundSenders(chain.node.rpcUrl);
    const common = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      ...environment,
      ...withoutLimits,
      LOG_LEVEL: 'info',
      TRUSTED_PROXIES: '1',
      DATABASE_URL: cluster.pooledUrl,
      DATABASE_DIRECT_URL: cluster.directUrl,
    };
    const start = async (name: string, own: Settings) => {
      settingsOf.set(name, own);
      const metricsPort = await freePort();
      const log = openSync(join(folder, 'logs', `${name.replace(' ', '-')}.log`), 'a');
      const [part = ''] = name.split(' ');
      const child = spawn(process.execPath, [mainScript, part], {
        env: { ...common, METRICS_PORT: String(metricsPort), ...own },
        stdio: ['ignore', log, log],
      });
      parts.set(name, { child, metricsPort });
    };
    const runWorkers = async (count: number) => {
      const SENDER_PRIVATE_KEYS = senders.slice(0, count).join();
      const running = [...parts.keys()].filter((name) => name.startsWith('worker'));
      await Promise.all(running.map((name) => end(parts, name)));
      for (let index = 1; index <= count; index += 1) await start(`worker ${index}`, { SENDER_PRIVATE_KEYS });
      await until(`${count} workers`, () => areReady(parts, 'worker'));
    };
    for (const [index, port] of cluster.apiPorts.entries()) await start(`api ${index + 1}`, { PORT: String(port) });
    for (const index of [1, 2]) await start(`indexer ${index}`, { PONDER_PORT: String(await freePort()) });
    await runWorkers(4);
    await until('APIs and indexers', async () => (await areReady(parts, 'api')) && (await areReady(parts, 'indexer')));
    print('Two APIs, four workers and two indexers are ready.');
    return {
      demo,
      apiUrl: `http://127.0.0.1:${cluster.apiPort}`,
      pids: () => new Map([...parts].map(([name, { child }]) => [name, child.pid ?? 0])),
      runWorkers,
      leadingIndexers: async () => await leadingIndexers(parts),
      kill(name) {
        parts.get(name)?.child.kill('SIGKILL');
        parts.delete(name);
      },
      async restart(name) {
        await start(name, settingsOf.get(name) ?? {});
        await until(name, () => areReady(parts, name));
      },
      operate: async (args) => await operate({ ...common, LOG_LEVEL: 'warn' }, args),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** New keys with gas on the chain. */
async function fundSenders(rpcUrl: string): Promise<string[]> {
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  const keys = Array.from({ length: SENDER_KEYS }, () => generatePrivateKey());
  for (const key of keys) {
    await node.setBalance({ address: privateKeyToAccount(key).address, value: parseEther('100') });
  }
  return keys;
}

async function areReady(parts: ReadonlyMap<string, Part>, kind: string): Promise<boolean> {
  for (const [name, part] of parts) {
    if (name.startsWith(kind) && (await readiness(part))?.status !== 200) return false;
  }
  return true;
}

async function leadingIndexers(parts: ReadonlyMap<string, Part>): Promise<string[]> {
  const leading: string[] = [];
  for (const [name, part] of parts) {
    if (!name.startsWith('indexer')) continue;
    const found = await readiness(part);
    if (found && !found.text.includes('this one stands by')) leading.push(name);
  }
  return leading;
}

async function readiness({ metricsPort }: Part): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/readyz?verbose`, {
      signal: AbortSignal.timeout(4_000),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

async function end(parts: Map<string, Part>, name: string): Promise<void> {
  const child = parts.get(name)?.child;
  parts.delete(name);
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exit;
  clearTimeout(timer);
}

async function operate(env: Record<string, string>, args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [mainScript, 'ops', ...args, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`ops ${args.join(' ')} ended with ${code}.`);
  return JSON.parse(printed);
}
