/**
 * graphql-ws on the connections of a WebSocket server. The library's own server prints every client error with its stack and calls it an
 * internal error. Here, a client error closes the connection and is logged for debugging.
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
  /** Returns what the functions of the options receive about a connection. */
  extraOf: (connected: Connected) => Extra;
};

const GOING_AWAY = 1001;
/** Message types that only servers send. */
const OURS = new Set<string>([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/**
 * Serves all future connections of `sockets`. A connection that does not respond to a ping within `keepAliveMs` is terminated. The returned
 * function closes all connections.
 */
export function acceptWebsockets<Extra>(
  { sockets, keepAliveMs, log, extraOf }: Accepting<Extra>,
  options: ServerOptions<Record<string, unknown>, Extra>,
): () => Promise<void> {
  const server = makeServer<Record<string, unknown>, Extra>(options);
  sockets.options.handleProtocols = handleProtocols;
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    // `ws` closes the connection itself, with the code of the protocol.
    socket.on('error', (error) => log.debug({ err: error }, 'A websocket violated the protocol.'));
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

/** Ignores connections that are closed in the meantime, because their `close` event ends their operations. */
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
