/**
 * A process's connection for notifications (LISTEN), shared by all channels and re-established whenever it is lost. Notifications
 * may be lost with it, so handlers are notified when their channel is up and when it is down.
 */
import type pg from 'pg';
import type { Log } from '../log.ts';
import { steadyClient } from './steady-client.ts';

const RECONNECT_MS = 1_000;

type ChannelHandler = {
  onNotification(payload: string): void;
  /** LISTEN is in force: the notification of every later commit arrives until `onDown`. */
  onUp?(): void;
  /** Notifications may be lost from now on. */
  onDown?(): void;
};

export type Listener = {
  /** Connects if there is no connection yet. The returned function stops delivery to the handler. */
  listen(channel: string, handler: ChannelHandler): () => void;
  close(): Promise<void>;
};

type Listening = { channel: string; handler: ChannelHandler; isUp: boolean };

/** `url` must reach the database without a pooler in between. Channel names are in lower case. */
export function openListener({ url, log }: { url: string; log: Log }): Listener {
  const listening = new Set<Listening>();
  let client: pg.Client | undefined;
  /** The client, once it is connected. */
  let connected: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;
  /** The client on which LISTEN statements are being executed. */
  let beginning: pg.Client | undefined;
  /** Set by the first warning of each outage. */
  let isWarned = false;

  async function connect(): Promise<void> {
    const made = steadyClient({ url, name: 'sluice-listener' });
    client = made;
    made.on('notification', ({ channel, payload }) => {
      for (const each of listening) if (each.channel === channel) each.handler.onNotification(payload ?? '');
    });
    made.on('error', () => lost(made));
    made.on('end', () => {
      lost(made);
      reconnect();
    });
    try {
      await made.connect();
      if (closed) return;
      connected = made;
      await beginAll(made);
      isWarned = false;
    } catch (error) {
      if (!isWarned) log.warn({ err: error }, 'Notifications are not received; the process polls until they are.');
      isWarned = true;
      lost(made);
      await made.end().catch(() => undefined);
      reconnect();
    }
  }

  /** Executes one LISTEN after another while any channel waits for its own. */
  async function beginAll(through: pg.Client): Promise<void> {
    if (beginning === through) return;
    beginning = through;
    try {
      for (let each = waiting(); each && connected === through; each = waiting()) {
        await through.query(`LISTEN ${each.channel}`);
        if (connected !== through) return;
        each.isUp = true;
        if (listening.has(each)) each.handler.onUp?.();
      }
    } finally {
      if (beginning === through) beginning = undefined;
    }
  }

  function waiting(): Listening | undefined {
    return [...listening].find(({ isUp }) => !isUp);
  }

  function lost(through: pg.Client): void {
    if (client !== through) return;
    connected = undefined;
    for (const each of listening) {
      if (!each.isUp) continue;
      each.isUp = false;
      each.handler.onDown?.();
    }
  }

  function reconnect(): void {
    if (closed || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      void connect();
    }, RECONNECT_MS);
    retry.unref();
  }

  return {
    listen(channel, handler) {
      const each: Listening = { channel, handler, isUp: false };
      listening.add(each);
      const through = connected;
      if (through) beginAll(through).catch(() => through.end().catch(() => undefined));
      else if (!client && !closed) void connect();
      return () => {
        listening.delete(each);
      };
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      if (client) lost(client);
      await client?.end().catch(() => undefined);
    },
  };
}
