import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { z } from 'zod';

/** Inspects a process without a memory probe, such as Ponder, which does not inherit the environment. */
export type Inspector = { heapMb(): Promise<number>; close(): void };

/** Node's inspector listens here after SIGUSR1. The port cannot be configured for a running process. */
const LIST_URL = 'http://127.0.0.1:9229/json/list';
const ATTEMPTS = 40;
const TRY_MS = 100;
const MB = 1024 * 1024;

const listSchema = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const answerSchema = z.object({ id: z.number(), result: z.record(z.string(), z.unknown()).optional() });
const pidSchema = z.object({ result: z.object({ value: z.number() }) });
const usageSchema = z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) });

/** Returns null if another process uses the inspector's port. */
export async function openInspector(pid: number): Promise<Inspector | null> {
  if ((await readTarget()) !== null) return null;
  process.kill(pid, 'SIGUSR1');
  let target: string | null = null;
  for (let tried = 0; target === null && tried < ATTEMPTS; tried += 1) {
    await delay(TRY_MS);
    target = await readTarget();
  }
  if (target === null) return null;
  const socket = new WebSocket(target, { perMessageDeflate: false });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const call = caller(socket);
  const { result } = pidSchema.parse(await call('Runtime.evaluate', { expression: 'process.pid' }));
  if (result.value !== pid) {
    socket.close();
    return null;
  }
  return {
    async heapMb() {
      // As in the probe, the second collection frees what the first one has finalized.
      await call('HeapProfiler.collectGarbage');
      await call('HeapProfiler.collectGarbage');
      const usage = usageSchema.parse(await call('Runtime.getHeapUsage'));
      return (usage.usedSize + usage.backingStorageSize) / MB;
    },
    close: () => socket.close(),
  };
}

async function readTarget(): Promise<string | null> {
  try {
    const [target] = listSchema.parse(await (await fetch(LIST_URL)).json());
    return target?.webSocketDebuggerUrl ?? null;
  } catch {
    return null;
  }
}

function caller(socket: WebSocket): (method: string, params?: object) => Promise<unknown> {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  socket.on('message', (data) => {
    const { id, result } = answerSchema.safeParse(JSON.parse(String(data))).data ?? {};
    if (id === undefined) return;
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The inspected process has ended.'));
    waiting.clear();
  });
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      if (socket.readyState !== WebSocket.OPEN) return reject(new Error('The inspected process has ended.'));
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      socket.send(JSON.stringify({ id: lastId, method, params }));
    });
}
