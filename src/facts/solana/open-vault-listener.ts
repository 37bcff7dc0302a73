/**
 * Uses a node's websocket as a hint: it calls `wake` when a transaction names a watched vault or reference, so that the next poll
 * follows at once. Polling finds whatever a dropped connection misses. It also calls `wake` when it begins to listen for an address,
 * because earlier transactions may have been missed.
 */
import { z } from 'zod';
import { type NodeConnection, openNodeSocket } from '../../chains/node-socket.ts';
import type { Log } from '../../platform/log.ts';

export type VaultListener = {
  /** The addresses to listen for from now on. */
  watch(addresses: readonly string[]): void;
  close(): void;
};

/** Nodes limit the subscriptions of a connection. Payments beyond this limit are found by polling. */
const ADDRESSES_LIMIT = 500;
/** `confirmed` for payments that are reported as pending, `finalized` for payments that count. */
const COMMITMENTS = ['confirmed', 'finalized'] as const;

const messageSchema = z.union([
  z.object({ id: z.number(), result: z.number() }),
  z.object({ method: z.literal('logsNotification') }),
]);

export function openVaultListener(
  world: { log: Log },
  options: { chainId: number; wsUrl: string; wake: () => void },
): VaultListener {
  const { chainId, wake } = options;
  let wanted: ReadonlySet<string> = new Set();
  let subscriptions: Subscriptions | undefined;
  const socket = openNodeSocket(options.wsUrl, {
    opened(connection) {
      subscriptions = openSubscriptions(connection, wake);
      subscriptions.listen(wanted);
    },
    received: (message) => subscriptions?.received(message),
    ended(reason) {
      subscriptions = undefined;
      world.log.debug({ chainId, reason }, 'The websocket of a Solana node was closed. Vaults are polled meanwhile.');
    },
  });
  return {
    watch(addresses) {
      wanted = new Set(addresses.slice(0, ADDRESSES_LIMIT));
      subscriptions?.listen(wanted);
    },
    close: () => socket.close(),
  };
}

type Subscriptions = { listen(addresses: ReadonlySet<string>): void; received(message: unknown): void };

/** The subscriptions of one connection by address, added and removed as the addresses change. */
function openSubscriptions(connection: NodeConnection, wake: () => void): Subscriptions {
  const asked = new Map<number, string>();
  const held = new Map<string, number[]>();
  return {
    received(message) {
      const read = messageSchema.safeParse(message);
      if (!read.success) return;
      if ('method' in read.data) return wake();
      const address = asked.get(read.data.id);
      asked.delete(read.data.id);
      if (address === undefined) return;
      const subscriptions = held.get(address);
      if (!subscriptions) return void connection.request('logsUnsubscribe', [read.data.result]);
      subscriptions.push(read.data.result);
      wake();
    },
    listen(addresses) {
      if (!connection.isOpen()) return;
      for (const [address, subscriptions] of held) {
        if (addresses.has(address)) continue;
        held.delete(address);
        for (const subscription of subscriptions) connection.request('logsUnsubscribe', [subscription]);
      }
      for (const address of addresses) {
        if (held.has(address)) continue;
        held.set(address, []);
        for (const commitment of COMMITMENTS) {
          asked.set(connection.request('logsSubscribe', [{ mentions: [address] }, { commitment }]), address);
        }
      }
    },
  };
}
