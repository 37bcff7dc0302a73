/** A separate installation, started by `npm start`, whose parts connect to nodes and database through proxies. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Demo, readDemo } from '../../src/local/demo-file.ts';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { freePort, freePorts } from '../setup/free-port.ts';
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts';
import { type NodeProxy, openNodeProxy } from './node-proxy.ts';
import { processesNaming, signal } from './processes.ts';

export type Operated = { code: number; printed: string; complained: string };

export type Ground = {
  folder: string;
  demo: Demo;
  /** Connects as the superuser, without the proxy. */
  adminUrl: string;
  nodes: ReadonlyMap<number, NodeProxy>;
  database: DatabaseProxy;
  /** The ports at which API, worker and indexer serve their metrics. */
  metricsPorts: readonly number[];
  /** The output of `npm start`. */
  printed(): string;
  /** Whether `npm start` has exited unexpectedly. */
  hasEnded(): boolean;
  /** Runs `ops` or `verify`, without the proxies. */
  operate(args: readonly string[]): Promise<Operated>;
  /** Stops the installation, as Ctrl-C does. Kills processes that are left behind, and returns their ids. */
  stop(): Promise<number[]>;
};

const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 90_000;
const OPERATION_LIMIT_MS = 120_000;
const chainIds = [31337, 31338];
const portNames = ['PORT', 'PONDER_PORT', 'LOCAL_POSTGRES_PORT', 'LOCAL_SUI_PORT'] as const;

export async function openGround(environment: Record<string, string> = {}): Promise<Ground> {
  const folder = join(tmpdir(), `sluice-chaos-${crypto.randomUUID()}`);
  // The local Solana also listens on the next port.
  const ports: Record<string, string> = { LOCAL_SOLANA_PORT: String(await freePorts(2)) };
  for (const name of portNames) ports[name] = String(await freePort());
  const nodes = new Map<number, NodeProxy>();
  for (const chainId of chainIds) {
    const nodePort = await freePort();
    ports[`LOCAL_EVM_PORT_${chainId}`] = String(nodePort);
    nodes.set(chainId, await openNodeProxy({ port: await freePort(), nodeUrl: `http://127.0.0.1:${nodePort}` }));
  }
  const databaseProxyPort = await freePort();
  const database = await openDatabaseProxy({
    port: databaseProxyPort,
    databasePort: Number(ports.LOCAL_POSTGRES_PORT),
  });
  // API, worker and indexer use one port each.
  const firstMetricsPort = await freePorts(3);
  const child = spawn(process.execPath, [join(checkoutFolder, 'src', 'local', 'start.ts')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOCAL_FOLDER: folder,
      METRICS_PORT: String(firstMetricsPort),
      ...ports,
      ...environment,
      NODE_OPTIONS: `--import=${new URL('through-proxies.ts', import.meta.url).href}`,
      CHAOS_NODES: JSON.stringify(Object.fromEntries([...nodes].map(([chainId, proxy]) => [chainId, proxy.url]))),
      CHAOS_DATABASE_PORT: String(databaseProxyPort),
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    const survivors = await end(child, folder);
    await Promise.all([...nodes.values(), database].map((proxy) => proxy.close()));
    if (process.env.CHAOS_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
    return survivors;
  };
  try {
    const deadline = Date.now() + START_LIMIT_MS;
    while (!printed.includes('Sluice runs')) {
      if (hasEnded() || Date.now() > deadline) throw new Error(`The installation did not start:\n${printed}`);
      await delay(200);
    }
    const demo = readDemo(join(folder, 'demo.json'));
    if (!demo) throw new Error('The installation did not write demo.json.');
    const metricsPorts = [0, 1, 2].map((offset) => firstMetricsPort + offset);
    const found = { folder, demo, adminUrl: adminUrlOf(folder), nodes, database, metricsPorts };
    return { ...found, printed: () => printed, hasEnded, operate: (args) => operate(folder, args), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function adminUrlOf(folder: string): string {
  const databaseUrl = /^DATABASE_URL=(.+)$/m.exec(readFileSync(join(folder, 'environment'), 'utf8'))?.[1] ?? '';
  const url = new URL(databaseUrl);
  url.username = 'sluice';
  url.password = readFileSync(join(folder, 'postgres', 'password'), 'utf8').trim();
  return url.href;
}

function operate(folder: string, args: readonly string[]): Promise<Operated> {
  const command = [`--env-file=${join(folder, 'environment')}`, join(checkoutFolder, 'src', 'main.ts'), ...args];
  const options = {
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    timeout: OPERATION_LIMIT_MS,
    maxBuffer: 64 * 2 ** 20,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, printed: stdout, complained: stderr });
    });
  });
}

async function end(child: ChildProcess, folder: string): Promise<number[]> {
  const deadline = Date.now() + STOP_LIMIT_MS;
  signal(processesNaming(folder), 'SIGCONT');
  child.kill('SIGINT');
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) await delay(100);
  const survivors = processesNaming(folder);
  signal(survivors, 'SIGKILL');
  return survivors;
}
