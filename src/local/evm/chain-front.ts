/**
 * The server through which a local chain is reached, in front of its node. Reads go to the node and are answered once the journal contains
 * everything that they may have seen. Writes go to the chain's writer. The same applies to WebSockets, whose subscriptions are handled by
 * the node.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { ConfigError } from '../../config/config-error.ts';
import { readAtMost } from '../../platform/outbound/read-at-most.ts';
import type { NodeConnection } from './ask-node.ts';
import type { ChainWriter } from './write-chain.ts';
import { writeKindOf } from './write-kind.ts';

/** What the server forwards to once the node runs. */
export type Backing = { node: NodeConnection; nodePort: number; writer: ChainWriter };

export type ChainFront = {
  /** Starts answering calls, including those that arrived before. */
  open(backing: Backing): void;
  close(): Promise<void>;
};

/** The node's own limit is 2 MB, but a state to load may be larger. */
const bodyBytesLimit = 64 * 1024 * 1024;
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': '*',
};

const callShape = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z
    .union([z.array(z.unknown()), z.record(z.string(), z.unknown()).transform((named) => [named])])
    .nullish()
    .transform((params) => params ?? []),
});

/** Throws ConfigError that names `setting` when the port is in use. */
export async function openChainFront(options: { port: number; setting: string }): Promise<ChainFront> {
  let open: (backing: Backing) => void = () => undefined;
  let closed: (reason: Error) => void = () => undefined;
  const backing = new Promise<Backing>((resolve, reject) => {
    [open, closed] = [resolve, reject];
  });
  backing.catch(() => undefined);
  const server = createServer((request, response) => {
    serve(backing, request, response).catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: bodyBytesLimit });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => serveSocket(backing, client));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', () => resolve());
  }).catch((error: unknown) => {
    throw new ConfigError(`${options.setting}: port ${options.port} is in use by another process.`, { cause: error });
  });
  return {
    open,
    async close() {
      closed(new Error('The chain is not running.'));
      for (const client of sockets.clients) client.terminate();
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
    },
  };
}

async function serve(backing: Promise<Backing>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'OPTIONS' ? 204 : 405, corsHeaders).end();
    return;
  }
  const body = await readAtMost(request, bodyBytesLimit);
  if (body === undefined) {
    response.writeHead(413, corsHeaders).end();
    return;
  }
  const answer = await answerBody(await backing, body);
  response.writeHead(200, { ...corsHeaders, 'content-type': 'application/json' }).end(answer);
}

async function answerBody({ node, writer }: Backing, body: Buffer): Promise<Buffer | string> {
  const calls = parseCalls(body);
  if (!calls?.some(({ method }) => writeKindOf(method) !== 'read')) {
    const answer = await node.forward(body);
    await writer.settled();
    return answer;
  }
  const answers: string[] = [];
  for (const { id, method, params } of calls) {
    const isRead = writeKindOf(method) === 'read';
    const answered = await (isRead ? node.answer({ method, params }) : writer.write({ method, params }));
    if (isRead) await writer.settled();
    answers.push(JSON.stringify({ jsonrpc: '2.0', id, ...answered }));
  }
  return isBatch(body) ? `[${answers.join(',')}]` : (answers[0] ?? '[]');
}

/** Returns undefined if the body is not a valid call, which the node then rejects with its own error. */
function parseCalls(body: Buffer): z.infer<typeof callShape>[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return z.array(callShape).parse(Array.isArray(parsed) ? parsed : [parsed]);
  } catch {
    return undefined;
  }
}

function isBatch(body: Buffer): boolean {
  return body.toString('utf8', 0, 64).trimStart().startsWith('[');
}

/** Serves one client socket and, for its subscriptions, one socket to the node. When either closes, both do. */
function serveSocket(backing: Promise<Backing>, client: WebSocket): void {
  let upstream: Promise<WebSocket> | undefined;
  const send = (text: string) => {
    if (client.readyState === WebSocket.OPEN) client.send(text);
  };
  const take = async (body: Buffer) => {
    const behind = await backing;
    const isSubscribing = parseCalls(body)?.some(({ method }) => /^eth_(un)?subscribe$/.test(method));
    if (!isSubscribing) return send(String(await answerBody(behind, body)));
    upstream ??= connect(behind, { send, end: () => client.terminate() });
    (await upstream).send(body.toString('utf8'));
  };
  client.on('message', (message: Buffer) => {
    take(message).catch(() => client.terminate());
  });
  client.on('error', () => client.terminate());
  client.on('close', () => {
    upstream?.then(
      (socket) => socket.terminate(),
      () => undefined,
    );
  });
}

function connect(
  { nodePort, writer }: Backing,
  client: { send: (text: string) => void; end: () => void },
): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${nodePort}`, { maxPayload: bodyBytesLimit });
  let delivered: Promise<void> = Promise.resolve();
  socket.on('message', (message: Buffer) => {
    // Deliver messages in the node's order, each after the journal contains what it reports.
    const settled = writer.settled();
    delivered = delivered.then(() => settled).then(() => client.send(message.toString('utf8')));
    delivered.catch(client.end);
  });
  socket.on('close', client.end);
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Returns a port that is free at the moment. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
