/** An API in a process of its own that tells what a request costs it, so that the caller's own work does not count. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from '../free-port.ts';

export type Usage = {
  /** So far: CPU time of all threads and of the main one, and how often garbage was collected. */
  used(): Promise<Used>;
  /** Bytes of the heap after a collection. */
  heldBytes(): Promise<number>;
};

export type MeasuredApi = Usage & { url: string; stop(): Promise<void> };

export type Used = { cpuMs: number; mainMs: number; collections: number };

/**
 * CPU time of a request: of all threads in the median and the mean, compilers and collectors of garbage included. `worstMs` says
 * how long one request holds up the others, which is the time of the main thread. It is the worst run during which no garbage was
 * collected, because a collection also clears away what the runs before it left.
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

/** For `node`: what a program needs so that `usageOf` can ask it. It must be started with a channel. */
export const measuredArguments = ['--expose-gc', '--import', preload];

/** `npm run api` with these settings, or another program that serves the API, on a port of its own. */
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

/** What a child that was started with `measuredArguments` and a channel has used. One question at a time. */
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

/** What one of `runs` requests costs the process, each on its own, after it is warm. `run` tells them apart. */
export async function costOf(
  usage: Usage,
  send: (run: number) => Promise<unknown>,
  { warmUps = WARM_UPS, runs = RUNS } = {},
): Promise<Cost> {
  for (let run = 0; run < warmUps; run++) await send(run);
  // What the warm-up left is not these runs' to collect. A full collection also drops compiled code, which is warmed again.
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

/** What this process needs for `work` itself. */
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
