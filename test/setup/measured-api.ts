/** An API in a process of its own that tells what a request costs it, so that the caller's own work does not count. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export type Usage = {
  /** CPU time of all threads so far. */
  cpuMs(): Promise<number>;
  /** Bytes of the heap after a collection. */
  heldBytes(): Promise<number>;
};

export type MeasuredApi = Usage & { url: string; stop(): Promise<void> };

export type Cost = { medianMs: number; worstMs: number };

const START_LIMIT_MS = 120_000;
const LOOK_MS = 200;
const WARM_UPS = 60;
const RUNS = 50;
const preload = fileURLToPath(new URL('./tell-usage.ts', import.meta.url));
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** For `node`: what a program needs so that `usageOf` can ask it. It must be started with a channel. */
export const measuredArguments = ['--expose-gc', '--import', preload];

/** `npm run api` with these settings, on a port of its own. */
export async function openMeasuredApi(
  environment: Record<string, string>,
  options: { environmentFile?: string } = {},
): Promise<MeasuredApi> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const file = options.environmentFile === undefined ? [] : [`--env-file=${options.environmentFile}`];
  const child = spawn(process.execPath, [...measuredArguments, ...file, main, 'api'], {
    env: { PATH: process.env.PATH, ...environment, PORT: port, HOST: '127.0.0.1' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exit;
  };
  const until = performance.now() + START_LIMIT_MS;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null) throw new Error('The measured API ended.');
    if (performance.now() > until) {
      await stop();
      throw new Error('The measured API did not start.');
    }
    await delay(LOOK_MS);
  }
  return { url, stop, ...usageOf(child) };
}

/** What a child that was started with `measuredArguments` and a channel has used. One question at a time. */
export function usageOf(child: ChildProcess): Usage {
  const ask = async (what: 'cpu' | 'held'): Promise<number> => {
    const answered = once(child, 'message');
    child.send(what);
    const [answer] = await answered;
    return Number(answer);
  };
  return { cpuMs: async () => (await ask('cpu')) / 1_000, heldBytes: () => ask('held') };
}

/** What one of `runs` requests costs the process, each on its own, after it is warm. `run` tells them apart. */
export async function costOf(
  usage: Usage,
  send: (run: number) => Promise<unknown>,
  { warmUps = WARM_UPS, runs = RUNS } = {},
): Promise<Cost> {
  for (let run = 0; run < warmUps; run++) await send(run);
  // What the warm-up left is not these runs' to collect.
  await usage.heldBytes();
  const spans: number[] = [];
  for (let run = warmUps; run < warmUps + runs; run++) {
    const before = await usage.cpuMs();
    await send(run);
    spans.push((await usage.cpuMs()) - before);
  }
  return summary(spans);
}

/** What this process needs for `work` itself. */
export function ownCostOf(work: () => void, { warmUps = WARM_UPS, runs = RUNS } = {}): Cost {
  for (let run = 0; run < warmUps; run++) work();
  const spans = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return summary(spans);
}

export type Sent = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
};

export type Answered = { status: number; body: string };

/** Requests over one connection that stays open, so that connecting does not count. */
export function openSender(url: string): { send(sent: Sent): Promise<Answered>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = ({ method, path, headers, body }: Sent): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      });
      // The server may have closed the connection since its last answer.
      sent.once('error', (error) =>
        sent.reusedSocket ? resolve(send({ method, path, headers, body })) : reject(error),
      );
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function summary(spans: number[]): Cost {
  const sorted = spans.sort((left, right) => left - right);
  return { medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, worstMs: sorted.at(-1) ?? Number.NaN };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}
