/** A websocket to a node. It is opened again with growing pauses after it ends, and ended when the node stops answering. */
import WebSocket from 'ws';

/** One connection; its requests and subscriptions end with it. */
export type NodeConnection = {
  isOpen(): boolean;
  /** Sends a JSON-RPC request and returns its id, which counts from 1. The response is a message like any other. */
  request(method: string, params: readonly unknown[]): number;
};

export type NodeSocketEvents = {
  opened(connection: NodeConnection): void;
  /** A parsed message of the node; undefined if it is not JSON. */
  received(message: unknown, connection: NodeConnection): void;
  /** Not called after `close`. */
  ended(reason: string): void;
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** How often a silent connection is pinged. It ends if nothing has arrived by the next ping. */
const PING_MS = 15_000;

export function openNodeSocket(wsUrl: string, on: NodeSocketEvents): { close(): void } {
  let closed = false;
  let pauseMs = FIRST_PAUSE_MS;
  let retry: NodeJS.Timeout | undefined;
  let end: ((reason: string) => void) | undefined;

  const connect = () => {
    const answered = () => {
      pauseMs = FIRST_PAUSE_MS;
    };
    const ended = (reason: string) => {
      if (closed) return;
      on.ended(reason);
      retry = setTimeout(connect, pauseMs);
      retry.unref();
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    };
    end = openConnection(wsUrl, { ...on, answered, ended });
  };
  connect();
  return {
    close() {
      closed = true;
      clearTimeout(retry);
      end?.('closed');
    },
  };
}

/** Returns what ends the connection. */
function openConnection(wsUrl: string, on: NodeSocketEvents & { answered(): void }): (reason: string) => void {
  const socket = new WebSocket(wsUrl, { handshakeTimeout: PING_MS });
  let lastId = 0;
  let isAlive = true;
  let isOver = false;
  const connection: NodeConnection = {
    isOpen: () => socket.readyState === WebSocket.OPEN,
    request(method, params) {
      lastId += 1;
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }));
      return lastId;
    },
  };
  const end = (reason: string) => {
    if (isOver) return;
    isOver = true;
    clearInterval(pings);
    socket.terminate();
    on.ended(reason);
  };
  const answer = () => {
    isAlive = true;
    on.answered();
  };
  const pings = setInterval(() => {
    if (!isAlive) return end('silent');
    isAlive = false;
    if (connection.isOpen()) socket.ping();
  }, PING_MS);
  pings.unref();
  socket.on('open', () => on.opened(connection));
  socket.on('pong', answer);
  socket.on('error', (error) => end(error.message));
  socket.on('close', () => end('closed'));
  socket.on('message', (data) => {
    answer();
    on.received(parsed(String(data)), connection);
  });
  return end;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
