/** A whole installation as `npm start` runs it, in its own folder and with its own ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isAlive, stopProcess } from '../../src/local/child-process.ts';
import { type Demo, readDemo } from '../../src/local/demo-file.ts';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { freePort, freePorts } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

export type PartName = 'api' | 'worker' | 'indexer' | 'all';

export type Installation = {
  folder: string;
  /** Resolves when the screen is printed. */
  start(): Promise<void>;
  /** Like Ctrl-C. Expects that it ends without an error. */
  stop(): Promise<void>;
  demo(): Demo;
  /** `kill -9` of the process that currently runs this part. */
  kill(name: PartName): void;
  /** All that `npm start` has printed since the last start. */
  output(): string;
  /** All of its processes: Postgres, chains, parts and their children. */
  processes(): number[];
};

const startLimitMs = 240_000;
const pidFiles = ['api.pid', 'worker.pid', 'indexer.pid', 'evm-31337.json.pid', 'evm-31338.json.pid'];
const portNames = [
  'PORT',
  'PONDER_PORT',
  'LOCAL_POSTGRES_PORT',
  'LOCAL_EVM_PORT_31337',
  'LOCAL_EVM_PORT_31338',
  'LOCAL_SUI_PORT',
];

/** `settings` are added to the environment of `npm start`. */
export async function openInstallation(settings: Record<string, string> = {}): Promise<Installation> {
  const folder = join(tmpdir(), `sluice-start-${crypto.randomUUID()}`);
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  const ports = await Promise.all(portNames.map(async (name) => [name, String(await freePort())]));
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LOCAL_FOLDER: folder,
    ...Object.fromEntries(ports),
    // The local Solana listens on the next port too.
    LOCAL_SOLANA_PORT: String(await freePorts(2)),
    ...settings,
  };
  let child: ChildProcess | undefined;
  let chunks: string[] = [];
  const output = () => chunks.join('');
  return {
    folder,
    output,
    async start() {
      chunks = [];
      const started = spawn(process.execPath, [join(checkoutFolder, 'src', 'local', 'start.ts')], { env: environment });
      child = started;
      for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
      onTeardown(() => stopProcess(started.pid ?? 0, 'SIGTERM', 60_000));
      const isDecided = () => output().includes('Sluice runs') || started.exitCode !== null;
      await expect.poll(isDecided, { timeout: startLimitMs, interval: 200 }).toBe(true);
      expect(output()).toContain('Sluice runs');
    },
    async stop() {
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child?.kill('SIGINT');
      expect(await ended).toBe(0);
    },
    demo() {
      const read = readDemo(join(folder, 'demo.json'));
      if (!read) throw new Error('There is no demo file.');
      return read;
    },
    kill(name) {
      const file = join(folder, `${name}.pid`);
      if (killNow(file)) return;
      // It was just killed and has not restarted yet.
      const waiting = setInterval(() => killNow(file) && clearInterval(waiting), 50);
      onTeardown(async () => clearInterval(waiting));
    },
    processes: () => [
      ...new Set([
        ...pidFiles.map((file) => pidIn(join(folder, file))),
        pidIn(join(folder, 'postgres', 'data', 'postmaster.pid')),
        ...mentioning(folder),
      ]),
    ],
  };
}

function killNow(pidFile: string): boolean {
  try {
    return process.kill(pidIn(pidFile), 'SIGKILL');
  } catch {
    return false;
  }
}

function pidIn(file: string): number {
  return Number(readFileSync(file, 'utf8').split('\n')[0]);
}

/** Processes of this machine that were started with the folder's name, if the system shows them. */
function mentioning(folder: string): number[] {
  try {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.filter((pid) => isAlive(pid) && mentions(pid, folder));
  } catch {
    return [];
  }
}

function mentions(pid: number, folder: string): boolean {
  try {
    return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder));
  } catch {
    return false;
  }
}
