/**
 * A node's websocket as a hint: it rings when the node has a new block. What a dropped or silent socket did not say, a poll
 * finds. It rings too when it begins to listen, for what came before, and when it ends.
 */
import WebSocket from 'ws';
import { z } from 'zod';

export type HeadBell = {
  /** Whether new blocks are announced at present. */
  isHeard(): boolean;
  close(): void;
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A connection that says nothing is asked whether it is alive, and given up when it does not answer. */
const PING_MS = 15_000;
const SUBSCRIBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });

const messageSchema = z.union([
  z.object({ method: z.literal('eth_subscription') }),
  z.object({ id: z.literal(1), result: z.string() }),
]);

/** `onEnded` is told why a connection ended, which is then opened anew. */
export function openHeadBell(options: {
  wsUrl: string;
  ring: () => void;
  onEnded?: (reason: string) => void;
}): HeadBell {
  const { wsUrl, ring, onEnded } = options;
  let closed = false;
  let pauseMs = FIRST_PAUSE_MS;
  let retry: NodeJS.Timeout | undefined;
  let line: { isHeard(): boolean; end(reason: string): void } | undefined;

  const connect = () => {
    line = openLine(wsUrl, {
      subscribed() {
        pauseMs = FIRST_PAUSE_MS;
        ring();
      },
      heard: ring,
      ended(reason) {
        if (closed) return;
        onEnded?.(reason);
        ring();
        retry = setTimeout(connect, pauseMs);
        retry.unref();
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      },
    });
  };
  connect();
  return {
    isHeard: () => line?.isHeard() ?? false,
    close() {
      closed = true;
      clearTimeout(retry);
      line?.end('closed');
    },
  };
}

type LineEvents = { subscribed(): void; heard(): void; ended(reason: string): void };

function openLine(wsUrl: string, on: LineEvents) {
  const socket = new WebSocket(wsUrl, { handshakeTimeout: PING_MS });
  let isAlive = true;
  let isHeard = false;
  let over = false;
  const end = (reason: string) => {
    if (over) return;
    over = true;
    isHeard = false;
    clearInterval(pings);
    socket.terminate();
    on.ended(reason);
  };
  const pings = setInterval(() => {
    if (!isAlive) return end('silent');
    isAlive = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, PING_MS);
  pings.unref();
  socket.on('open', () => socket.send(SUBSCRIBE));
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('error', (error) => end(error.message));
  socket.on('close', () => end('closed'));
  socket.on('message', (data) => {
    isAlive = true;
    const message = messageSchema.safeParse(parsed(String(data)));
    if (!message.success) return;
    if ('method' in message.data) return on.heard();
    isHeard = true;
    on.subscribed();
  });
  return { isHeard: () => isHeard, end };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
