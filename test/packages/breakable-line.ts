/** A proxy of the gateway whose connections can be broken for a while, and one that accepts no WebSockets. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

export type BreakableLine = {
  url: string;
  /** The connections that were opened through it. */
  opened(): number;
  /** Resolves when a connection has been refused while the proxy is broken. */
  refusal(): Promise<void>;
  /** Breaks every connection. New ones break as well until `mend`. */
  break(): void;
  mend(): void;
};

export async function openBreakableLine(target: string): Promise<BreakableLine> {
  const { hostname, port: targetPort } = new URL(target);
  const port = await freePort();
  const sockets = new Set<Socket>();
  let isBroken = false;
  let opened = 0;
  let refused: () => void = () => undefined;
  const server = createTcpServer((near) => {
    if (isBroken) {
      refused();
      return near.destroy();
    }
    opened += 1;
    const far = connect(Number(targetPort), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTeardown(async () => {
    destroyAll();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    opened: () => opened,
    refusal: () =>
      new Promise((resolve) => {
        refused = resolve;
      }),
    break() {
      isBroken = true;
      destroyAll();
    },
    mend: () => {
      isBroken = false;
    },
  };
}

/** Forwards requests, and rejects WebSocket upgrades like some proxies. */
export async function openSocketlessProxy(target: string): Promise<{ url: string; refused(): number }> {
  let refused = 0;
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
      ) as Record<string, string>,
      ...(request.method === 'GET' ? {} : { body: await bodyOf(request) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk);
    } catch {
      // The gateway or the caller has disconnected.
    }
    response.end();
  });
  server.on('upgrade', (_request, socket) => {
    refused += 1;
    socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, refused: () => refused };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
