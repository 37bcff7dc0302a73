/** An API in a separate process that reports what a request costs it, so that the caller's own work is not measured. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from '../free-port.ts';

export type Usage = {
  /** Usage so far: CPU time of all threads, CPU time of the main thread, and the number of garbage collections. */
  used(): Promise<Used>;
  /** The size of the heap in bytes after a garbage collection. */
  heldBytes(): Promise<number>;
};

export type MeasuredApi = Usage & { url: string; stop(): Promise<void> };

export type Used = { cpuMs: number; mainMs: number; collections: number };

/**
 * CPU time of a request. The median and the mean include all threads, so also the compiler and the garbage collector. `worstMs` is the time
 * for which one request blocks the others, which is the CPU time of the main thread. It is the maximum over the runs without a garbage
 * collection, because a collection also frees the garbage of earlier runs.
 */
export type Cost = { medianMs: number; meanMs: number; worstMs: number };
type Span = { cpuMs: number; mainMs: number; isCollecting: boolean };

const usedSchema = z.object({ cpuUs: z.number(), mainUs: z.number(), collections: z.number() });
const START_LIMIT_MS = 120_000;
const LOOK_MS = 200;
const WARM_UPS = 60;
const RUNS = 50;
const preload = fileURLToPath(new URL('../gateway/report-usage.ts', import.meta.url));
const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** The arguments for `node` that a program needs for `usageOf`. The program must be started with an IPC channel. */
export const measuredArguments = ['--expose-gc', '--import', preload];

/** Starts `npm run api` with these settings, or another program that serves the API, on a free port. */
export async function openMeasuredApi(
  environment: Record<string, string>,
  options: { environmentFile?: string; program?: string } = {},
): Promise<MeasuredApi> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const file = options.environmentFile === undefined ? [] : [`--env-file=${options.environmentFile}`];
  const child = spawn(
    process.execPath,
    [...measuredArguments, ...file, ...(options.program === undefined ? [main, 'api'] : [options.program])],
    {
      env: { PATH: process.env.PATH, ...environment, PORT: port, HOST: '127.0.0.1' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
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

/** The usage of a child process that was started with `measuredArguments` and an IPC channel. Allows one request at a time. */
export function usageOf(child: ChildProcess): Usage {
  const ask = async (what: 'cpu' | 'held'): Promise<unknown> => {
    const answered = once(child, 'message');
    child.send(what);
    const [answer] = await answered;
    return answer;
  };
  return {
    used: async () => {
      const { cpuUs, mainUs, collections } = usedSchema.parse(await ask('cpu'));
      return { cpuMs: cpuUs / 1_000, mainMs: mainUs / 1_000, collections };
    },
    heldBytes: async () => Number(await ask('held')),
  };
}

/** The cost of a request in a warmed-up process, over `runs` requests that are sent one at a time. `run` identifies each of them. */
export async function costOf(
  usage: Usage,
  send: (run: number) => Promise<unknown>,
  { warmUps = WARM_UPS, runs = RUNS } = {},
): Promise<Cost> {
  for (let run = 0; run < warmUps; run++) await send(run);
  // The garbage of the warm-up must not count. A full collection also discards compiled code, so another warm-up follows.
  await usage.heldBytes();
  for (let run = warmUps; run < 2 * warmUps; run++) await send(run);
  const spans: Span[] = [];
  for (let run = 2 * warmUps; run < 2 * warmUps + runs; run++) {
    const before = await usage.used();
    await send(run);
    const after = await usage.used();
    spans.push({
      cpuMs: after.cpuMs - before.cpuMs,
      mainMs: after.mainMs - before.mainMs,
      isCollecting: after.collections > before.collections,
    });
  }
  return summary(spans);
}

/** The cost of `work` in this process. */
export function ownCostOf(work: () => void, { warmUps = WARM_UPS, runs = RUNS } = {}): Cost {
  for (let run = 0; run < warmUps; run++) work();
  const spans = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1_000;
    return { cpuMs, mainMs: cpuMs, isCollecting: false };
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

/** Sends requests over one persistent connection, so that connecting is not measured. */
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
      // The server may have closed the connection since its last response.
      sent.once('error', (error) =>
        sent.reusedSocket ? resolve(send({ method, path, headers, body })) : reject(error),
      );
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function summary(spans: Span[]): Cost {
  const cpuMs = spans.map((span) => span.cpuMs).sort((left, right) => left - right);
  const undisturbed = spans.filter(({ isCollecting }) => !isCollecting);
  return {
    medianMs: cpuMs[Math.floor(cpuMs.length / 2)] ?? Number.NaN,
    meanMs: cpuMs.reduce((sum, ms) => sum + ms, 0) / cpuMs.length,
    worstMs: Math.max(...(undisturbed.length > 0 ? undisturbed : spans).map(({ mainMs }) => mainMs)),
  };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}
