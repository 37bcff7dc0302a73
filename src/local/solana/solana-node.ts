/**
 * A local Solana node for development and tests. It serves JSON-RPC over HTTP, and over a WebSocket on the next port, as cluster clients
 * expect, in front of a virtual machine that runs the real token, associated token account and memo programs.
 *
 * It does not model: forks and skipped slots (a commitment is an age in slots), votes, stakes, rewards, epochs, address lookup tables,
 * durable nonces, priority fees and their market, rent collection, getProgramAccounts, block subscriptions, `minContextSlot`, `maxRetries`,
 * a transaction queue (a transaction lands at once or never), and pruning of history. For `jsonParsed`, it parses only token accounts,
 * mints, transfers, memos and the creation of associated accounts. Token-2022 extensions run but are not parsed.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { ConfigError } from '../../config/config-error.ts';
import { openLedger } from './ledger.ts';
import { RpcError } from './rpc-error.ts';
import { type RpcMethod, rpcMethods } from './rpc-methods.ts';
import { openSubscriptions, type Subscriptions } from './subscriptions.ts';

export type SolanaNodeOptions = {
  /** HTTP port. The WebSocket uses the next port. */
  port: number;
  /** Slot duration in milliseconds. If 0, each transaction produces one slot, and further slots only come from `advance`. */
  slotMs: number;
  /** Number of slots after which a slot is confirmed or finalized. */
  confirmedAfter: number;
  finalizedAfter: number;
  /** Absolute path of the file that persists the chain. After a restart, the chain continues from it. */
  journalFile?: string | undefined;
};

/** Failure returned instead of a result: an HTTP status, an RPC error, or a dropped connection. */
export type RpcFailure = { status: number } | { code: number; message: string } | 'break';

export type SolanaNode = {
  rpcUrl: string;
  wsUrl: string;
  genesisHash: string;
  /** Newest processed slot. */
  slot(): number;
  advance(slots: number): void;
  /** Moves the chain's clock forward, and advances one slot. */
  passTime(seconds: number): void;
  /** While held, all transactions land in the same slot. */
  holdSlot(isHeld: boolean): void;
  /** Number of open subscriptions across all WebSockets. */
  openSubscriptions(): number;
  /** Terminates every WebSocket. */
  dropSockets(): void;
  /** Fails the next `times` requests (default 1) for `method`, or for any method if it is omitted. */
  failNext(failure: RpcFailure, options?: { method?: string; times?: number }): void;
  /** Discards the failures that are still pending. */
  recover(): void;
  /** Keeps listing the transaction but reports it as not found when a client requests it. */
  hide(signature: string): void;
  show(signature: string): void;
  stop(): Promise<void>;
};

const BODY_LIMIT = 4 * 1024 * 1024;
const BATCH_LIMIT = 100;

const callShape = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});

/** Resolves when both ports accept connections. Throws ConfigError when a port is in use. */
export async function startSolanaNode(options: SolanaNodeOptions): Promise<SolanaNode> {
  let skewMs = 0;
  const ledger = openLedger({ ...options, now: () => new Date(Date.now() + skewMs) });
  const hidden = new Set<string>();
  const failures: { failure: RpcFailure; method: string | undefined; remaining: number }[] = [];
  const moveTime = (unixSeconds: number) => {
    const missingMs = unixSeconds * 1000 - (Date.now() + skewMs);
    if (missingMs > 0) skewMs += missingMs;
    if (options.slotMs > 0) ledger.keepTime();
    else ledger.advance(1);
  };
  const methods = rpcMethods({ ledger, hidden, moveTime });
  const subscriptions = openSubscriptions({ ledger, print });
  ledger.onChange(subscriptions.notifyAll);

  const takeFailure = (called: string[]): RpcFailure | undefined => {
    const next = failures.find(
      ({ remaining, method }) => remaining > 0 && (method === undefined || called.includes(method)),
    );
    if (next) next.remaining -= 1;
    return next?.failure;
  };
  const http = createServer((request, response) => {
    answerHttp(request, response, { methods, takeFailure }).catch(() => response.destroy());
  });
  const ws = createServer();
  const sockets = new WebSocketServer({ server: ws });
  sockets.on('error', () => undefined);
  sockets.on('connection', (socket) => serveSocket(socket, { methods, subscriptions }));
  await listen(http, options.port);
  try {
    await listen(ws, options.port + 1);
  } catch (error) {
    http.close();
    throw error;
  }
  const timer = options.slotMs > 0 ? setInterval(ledger.keepTime, options.slotMs) : undefined;
  return {
    rpcUrl: `http://127.0.0.1:${options.port}`,
    wsUrl: `ws://127.0.0.1:${options.port + 1}`,
    genesisHash: ledger.slots.genesisHash,
    slot: () => ledger.slots.at('processed'),
    advance: ledger.advance,
    passTime(seconds) {
      skewMs += seconds * 1000;
      ledger.advance(1);
    },
    holdSlot: ledger.holdSlot,
    openSubscriptions: subscriptions.count,
    dropSockets: () => {
      for (const socket of sockets.clients) socket.terminate();
    },
    failNext: (failure, { method, times = 1 } = {}) => failures.push({ failure, method, remaining: times }),
    recover: () => failures.splice(0),
    hide: (signature) => hidden.add(signature),
    show: (signature) => hidden.delete(signature),
    async stop() {
      clearInterval(timer);
      for (const socket of sockets.clients) socket.terminate();
      await Promise.all([close(http), close(ws)]);
    },
  };
}

type Answering = { methods: Map<string, RpcMethod>; takeFailure: (called: string[]) => RpcFailure | undefined };

async function answerHttp(request: IncomingMessage, response: ServerResponse, world: Answering): Promise<void> {
  response.setHeader('content-type', 'application/json');
  // Pages of other origins, such as a wallet's, may call the node too.
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', '*');
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'OPTIONS' ? 204 : 405).end();
    return;
  }
  const calls = parseCalls(await readBody(request));
  const failure = world.takeFailure(calls.list.map((call) => call?.method ?? ''));
  if (failure === 'break') {
    response.destroy();
    return;
  }
  if (failure && 'status' in failure) {
    response.writeHead(failure.status).end('{}');
    return;
  }
  const answers = calls.list.map((call) => (failure && call ? refused(call.id, failure) : answer(call, world.methods)));
  response.end(print(calls.isBatch ? answers : answers[0]));
}

type Call = z.infer<typeof callShape>;

/** Yields null for an entry that is not a valid call. */
function parseCalls(text: string): { isBatch: boolean; list: (Call | null)[] } {
  try {
    const json: unknown = JSON.parse(text);
    const isBatch = Array.isArray(json);
    const list = (isBatch ? json.slice(0, BATCH_LIMIT) : [json]).map((one) => callShape.safeParse(one).data ?? null);
    return { isBatch, list };
  } catch {
    return { isBatch: false, list: [null] };
  }
}

function answer(call: Call | null, methods: Map<string, RpcMethod>) {
  if (!call) return refused(null, { code: -32600, message: 'Invalid request' });
  try {
    const method = methods.get(call.method);
    if (!method) throw new RpcError(-32601, `Method not found: ${call.method}`);
    return { jsonrpc: '2.0', id: call.id ?? null, result: method(call.params ?? []) };
  } catch (error) {
    return refused(call.id, faultOf(error));
  }
}

function refused(id: Call['id'], error: { code: number; message: string; data?: unknown }) {
  return { jsonrpc: '2.0', id: id ?? null, error };
}

function faultOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!(error instanceof RpcError)) return { code: -32603, message: error instanceof Error ? error.message : 'failed' };
  return { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) };
}

function serveSocket(
  socket: WebSocket,
  world: { methods: Map<string, RpcMethod>; subscriptions: Subscriptions },
): void {
  socket.on('error', () => undefined);
  socket.on('close', () => world.subscriptions.forget(socket));
  socket.on('message', (data) => {
    const [call = null] = parseCalls(String(data)).list;
    // A client's ping has no id and expects no response.
    if (call && call.id === undefined) return;
    socket.send(print(answerSocket(socket, call, world)));
    world.subscriptions.notifyAll();
  });
}

function answerSocket(
  socket: WebSocket,
  call: Call | null,
  { methods, subscriptions }: { methods: Map<string, RpcMethod>; subscriptions: Subscriptions },
) {
  if (!call) return answer(call, methods);
  try {
    const result = subscriptions.call(socket, call.method, call.params ?? []);
    return result === undefined ? answer(call, methods) : { jsonrpc: '2.0', id: call.id ?? null, result };
  } catch (error) {
    return refused(call.id, faultOf(error));
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT) throw new Error('The body is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Prints 64-bit integers as JSON numbers, as real nodes do, although JavaScript clients read them as floats. */
function print(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ConfigError(`Port ${port} of the local Solana: ${error.message}`, { cause: error })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
