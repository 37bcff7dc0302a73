/**
 * New blocks as a node's websocket announces them. An announcement is a hint: callers poll as well, because a connection may drop
 * or fall silent.
 */
import { z } from 'zod';
import { openNodeSocket } from '../node-socket.ts';

export type FollowedHeads = {
  /** Whether the node has accepted the subscription of the present connection. */
  isSubscribed(): boolean;
  close(): void;
};

const messageSchema = z.union([
  z.object({ method: z.literal('eth_subscription') }),
  z.object({ id: z.literal(1), result: z.string() }),
]);

/**
 * Calls `onHead` for each new block, when the subscription begins, for blocks before it, and when the connection ends, so that the
 * caller polls from then on. `onEnd` is called with the reason why a connection ended; it is opened again.
 */
export function followHeads(options: {
  wsUrl: string;
  onHead: () => void;
  onEnd?: (reason: string) => void;
}): FollowedHeads {
  const { wsUrl, onHead, onEnd } = options;
  let isSubscribed = false;
  const socket = openNodeSocket(wsUrl, {
    opened: (connection) => void connection.request('eth_subscribe', ['newHeads']),
    received(message) {
      const read = messageSchema.safeParse(message);
      if (!read.success) return;
      if ('id' in read.data) isSubscribed = true;
      onHead();
    },
    ended(reason) {
      isSubscribed = false;
      onEnd?.(reason);
      onHead();
    },
  });
  return {
    isSubscribed: () => isSubscribed,
    close() {
      isSubscribed = false;
      socket.close();
    },
  };
}
