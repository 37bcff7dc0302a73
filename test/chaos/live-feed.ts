/** Follows an app's events over graphql-ws. After a broken connection, resumes after the last event received. */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { z } from 'zod';
import type { Shop } from './shops.ts';

export type LiveFeed = {
  last(): number;
  /** Events that do not directly follow the previous event. */
  gaps(): readonly string[];
  connections(): number;
  close(): void;
};

const QUIET_LIMIT_MS = 30_000;
const PAUSE_MS = 500;
const eventShape = z.object({ events: z.object({ sequence: z.number() }) });

export function followEvents({ graphqlUrl }: { graphqlUrl: string }, shop: Pick<Shop, 'name' | 'key'>): LiveFeed {
  const closing = new AbortController();
  const gaps: string[] = [];
  let last = 0;
  let connections = 0;
  const once = async () => {
    const client = createClient({
      url: graphqlUrl.replace(/^http/, 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { 'x-api-key': shop.key },
      retryAttempts: 0,
      lazy: true,
      // A stopped peer does not respond to pings.
      keepAlive: QUIET_LIMIT_MS / 3,
    });
    let lastMessageAt = performance.now();
    client.on('pong', () => {
      lastMessageAt = performance.now();
    });
    const watch = setInterval(() => {
      if (performance.now() - lastMessageAt > QUIET_LIMIT_MS) client.terminate();
    }, 1_000);
    const stop = () => void client.dispose();
    closing.signal.addEventListener('abort', stop);
    try {
      const query = 'subscription ($after: Int) { events(after: $after) { sequence } }';
      for await (const result of client.iterate({ query, variables: { after: last } })) {
        lastMessageAt = performance.now();
        const parsed = eventShape.safeParse(result.data);
        if (!parsed.success) return;
        const { sequence } = parsed.data.events;
        if (sequence !== last + 1) gaps.push(`${shop.name}: event ${sequence} came after event ${last}.`);
        last = sequence;
      }
    } finally {
      clearInterval(watch);
      closing.signal.removeEventListener('abort', stop);
      client.terminate();
    }
  };
  const run = async () => {
    while (!closing.signal.aborted) {
      connections += 1;
      await once().catch(() => undefined);
      await delay(PAUSE_MS);
    }
  };
  run();
  return { last: () => last, gaps: () => gaps, connections: () => connections, close: () => closing.abort() };
}
