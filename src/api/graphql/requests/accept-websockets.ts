/**
 * graphql-ws on the connections of a websocket server. The library's own server prints whatever a client does wrong, with its
 * stack, and calls it an internal error; here a client's fault closes its connection and is worth a line for debugging.
 */
import type { IncomingMessage } from 'node:http';
import { CloseCode, handleProtocols, MessageType, makeServer, parseMessage, type ServerOptions } from 'graphql-ws';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../../../platform/log.ts';

type Connected = { socket: WebSocket; request: IncomingMessage };

type Accepting<Extra> = {
  sockets: WebSocketServer;
  keepAliveMs: number;
  log: Log;
  /** What the options' functions are given of a connection. */
  extraOf: (connected: Connected) => Extra;
};

const GOING_AWAY = 1001;
/** What only a server says. */
const OURS = new Set<string>([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/**
 * Serves every connection of `sockets` from now on. A connection is cut when it does not answer a ping within `keepAliveMs`. The
 * returned function closes all of them.
 */
export function acceptWebsockets<Extra>(
  { sockets, keepAliveMs, log, extraOf }: Accepting<Extra>,
  options: ServerOptions<Record<string, unknown>, Extra>,
): () => Promise<void> {
  const server = makeServer<Record<string, unknown>, Extra>(options);
  sockets.options.handleProtocols = handleProtocols;
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    // `ws` closes the connection itself, by the code that the protocol has for it.
    socket.on('error', (error) => log.debug({ err: error }, 'A websocket broke the protocol.'));
    keepAlive(socket, keepAliveMs);
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (text) => sendTo(socket, text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (read) => {
          socket.on('message', (data) => {
            const text = String(data);
            read(text).catch((error: unknown) => {
              if (isOurs(text)) return socket.close(CloseCode.BadRequest, 'Invalid message received');
              log.error({ err: error }, 'A message of a websocket could not be handled.');
              socket.close(CloseCode.InternalServerError, 'Internal server error');
            });
          });
        },
      },
      extraOf({ socket, request }),
    );
    socket.once('close', (code, reason) => void closed(code, String(reason)));
  });
  return async () => {
    for (const client of sockets.clients) client.close(GOING_AWAY, 'Going away');
    sockets.removeAllListeners();
    await new Promise<void>((resolve, reject) => sockets.close((error) => (error ? reject(error) : resolve())));
  };
}

function keepAlive(socket: WebSocket, everyMs: number): void {
  let isAwaited = false;
  socket.on('pong', () => {
    isAwaited = false;
  });
  const timer = setInterval(() => {
    if (isAwaited) return socket.terminate();
    isAwaited = true;
    socket.ping();
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Whoever is gone meanwhile needs no answer: the close that follows ends its operations. */
function sendTo(socket: WebSocket, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve) => socket.send(text, () => resolve()));
}

function isOurs(text: string): boolean {
  try {
    return OURS.has(parseMessage(text).type);
  } catch {
    return false;
  }
}
