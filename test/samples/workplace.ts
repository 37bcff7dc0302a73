/**
 * A checkout as a reader of the documentation has it in front of them, with an installation running in it: the samples read `.local/demo.json`
 * and run `node docs/pay.mjs` there. Only ports differ from those of the documentation.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type Demo, readDemo } from '../../src/local/demo-file.ts';
import { openInstallation } from '../flows/installation.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

export type Program = {
  /** Its output so far. */
  output(): string;
  /** Waits until it has printed this, and fails if it ends before. */
  prints(text: string | RegExp, limitMs?: number): Promise<void>;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
  stop(): Promise<void>;
};

export type Workplace = {
  folder: string;
  demo: Demo;
  /** Ports of the servers that samples start, by the port in the documentation. */
  ports: Map<string, string>;
  /** The text of a sample with the addresses of this installation. */
  addressed(text: string): string;
  /** Starts a program in the checkout, with the Node of the checkout first on the path. */
  run(command: string, args: string[], environment?: Record<string, string>): Program;
  write(name: string, text: string): void;
};

const root = join(import.meta.dirname, '../..');
/** Programs resolve their imports from where they are, so these are copied; the rest is only read. */
const copied = ['examples', 'docs/pay.mjs', 'package.json'];
const linked = ['node_modules', 'packages', 'src', 'schema', 'prisma', 'generated'];
const serverPorts = ['3000', '3001', '3002', '4100', '9100'];
const PRINT_LIMIT_MS = 90_000;
const END_LIMIT_MS = 10_000;

export async function openWorkplace(): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-samples-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  for (const name of copied) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  for (const name of ['open-dispute.mjs', 'card-holder.mjs']) {
    cpSync(join(root, 'test/samples', name), join(folder, name));
  }
  for (const name of linked) symlinkSync(join(root, name), join(folder, name));
  const installation = await openInstallation({ LOCAL_FOLDER: join(folder, '.local') });
  await installation.start();
  const demo = readDemo(join(folder, '.local/demo.json'));
  if (!demo) throw new Error('The installation has no demo merchant.');
  const ports = new Map<string, string>();
  for (const port of serverPorts) ports.set(port, String(await freePort()));
  const { host } = new URL(demo.restUrl);
  const addressed = (text: string) =>
    text
      .replaceAll('https://pay.example.com', demo.restUrl)
      .replaceAll(/\b(localhost|127\.0\.0\.1):4000\b/g, host)
      .replaceAll(/\b((?:localhost|127\.0\.0\.1):|listen\()(\d{4})\b/g, (match, before, port) =>
        ports.has(port) ? `${before}${ports.get(port)}` : match,
      );
  return {
    folder,
    demo,
    ports,
    addressed,
    run: (command, args, environment = {}) => runProgram(folder, [command, ...args], environment),
    write: (name, text) => writeFileSync(join(folder, name), text),
  };
}

function runProgram(folder: string, [command = '', ...args]: string[], environment: Record<string, string>): Program {
  const bin = join(root, 'node_modules/.bin');
  // A group of its own, so that what a sample leaves in the background ends with it.
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(process.execPath)}:${bin}:${process.env.PATH}`,
      HOME: process.env.HOME,
      ...environment,
    },
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(String(chunk)));
  const output = () => chunks.join('');
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const stop = async () => {
    killGroup(child, 'SIGTERM');
    const timer = setTimeout(() => killGroup(child, 'SIGKILL'), END_LIMIT_MS);
    await ended;
    clearTimeout(timer);
    killGroup(child, 'SIGKILL');
  };
  onTeardown(stop);
  return {
    output,
    ended,
    stop,
    async prints(text, limitMs = PRINT_LIMIT_MS) {
      const isPrinted = () => (typeof text === 'string' ? output().includes(text) : text.test(output()));
      const isDecided = () => isPrinted() || child.exitCode !== null;
      await expect.poll(isDecided, { timeout: limitMs, interval: 50, message: `waits for ${text}` }).toBe(true);
      if (!isPrinted()) throw new Error(`It ended with ${child.exitCode} before it printed ${text}:\n${output()}`);
    },
  };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The group has no more processes.
  }
}
