/**
 * A node's websocket as a hint: it rings when a transaction names a watched vault or reference, so that the next poll comes
 * at once. Only that: what a dropped socket did not say, the polls find. It rings too when it begins to listen for an address,
 * for what came before.
 */
import WebSocket from 'ws';
import { z } from 'zod';
import type { Log } from '../../platform/log.ts';

export type VaultBell = {
  /** The addresses to listen for from now on. */
  watch(addresses: readonly string[]): void;
  close(): void;
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A connection that says nothing is asked whether it is alive, and given up when it does not say. */
const PING_MS = 15_000;
/** Nodes bound the subscriptions of a connection; payments beyond are polled for. */
const ADDRESSES_LIMIT = 500;
/** `confirmed` for what is told as pending, `finalized` for what counts. */
const COMMITMENTS = ['confirmed', 'finalized'] as const;

const messageSchema = z.union([
  z.object({ id: z.number(), result: z.number() }),
  z.object({ method: z.literal('logsNotification') }),
]);

export function openVaultBell(
  world: { log: Log },
  options: { chainId: number; wsUrl: string; ring: () => void },
): VaultBell {
  const { chainId, ring } = options;
  let wanted: ReadonlySet<string> = new Set();
  let closed = false;
  let pauseMs = FIRST_PAUSE_MS;
  let retry: NodeJS.Timeout | undefined;
  let line: Line | undefined;

  const connect = () => {
    if (closed) return;
    line = openLine(options.wsUrl, {
      opened: () => {
        pauseMs = FIRST_PAUSE_MS;
        line?.listen(wanted);
      },
      heard: ring,
      ended: (reason) => {
        if (closed) return;
        world.log.debug({ chainId, reason }, 'The websocket of a Solana node ended; vaults are polled meanwhile.');
        retry = setTimeout(connect, pauseMs);
        retry.unref();
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      },
    });
  };
  connect();
  return {
    watch(addresses) {
      wanted = new Set(addresses.slice(0, ADDRESSES_LIMIT));
      line?.listen(wanted);
    },
    close() {
      closed = true;
      clearTimeout(retry);
      line?.close();
    },
  };
}

type Line = { listen(addresses: ReadonlySet<string>): void; close(): void };

/** One connection: subscriptions by address, made and ended as what is wanted changes. */
function openLine(wsUrl: string, on: { opened: () => void; heard: () => void; ended: (reason: string) => void }): Line {
  const socket = new WebSocket(wsUrl, { handshakeTimeout: PING_MS });
  const asked = new Map<number, string>();
  const held = new Map<string, number[]>();
  let lastId = 0;
  let isAlive = true;
  let over = false;

  const send = (method: string, params: unknown[]): number => {
    lastId += 1;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }));
    return lastId;
  };
  const end = (reason: string) => {
    if (over) return;
    over = true;
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

  socket.on('open', on.opened);
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
    const address = asked.get(message.data.id);
    asked.delete(message.data.id);
    if (address === undefined) return;
    const subscriptions = held.get(address);
    if (!subscriptions) return void send('logsUnsubscribe', [message.data.result]);
    subscriptions.push(message.data.result);
    on.heard();
  });

  return {
    listen(addresses) {
      if (socket.readyState !== WebSocket.OPEN) return;
      for (const [address, subscriptions] of held) {
        if (addresses.has(address)) continue;
        held.delete(address);
        for (const subscription of subscriptions) send('logsUnsubscribe', [subscription]);
      }
      for (const address of addresses) {
        if (held.has(address)) continue;
        held.set(address, []);
        for (const commitment of COMMITMENTS) {
          asked.set(send('logsSubscribe', [{ mentions: [address] }, { commitment }]), address);
        }
      }
    },
    close: () => end('closed'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
