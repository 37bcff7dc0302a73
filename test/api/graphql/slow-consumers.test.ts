/** Clients that do not read: their queue is bounded, and they receive the position at which to resume. */
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { transaction } from '../../../prisma/client.ts';
import { endWhenUnread } from '../../../src/api/end-when-unread.ts';
import { type RunningApi, startApi } from '../../../src/api/start-api.ts';
import { appendEvents } from '../../../src/events/append-events.ts';
import { type Feed, openFeed } from '../../../src/events/feed.ts';
import { openListener } from '../../../src/platform/database/listener.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';
import { openTestGraph } from '../../setup/api/graph.ts';
import { onTeardown } from '../../setup/teardown.ts';

const OF_A_BATCH = 10;
const EVENT_BYTES = 64 * 1024;
const QUEUE_LIMIT = 20;

let api: TestApi;
let feed: Feed;
let server: RunningApi;
beforeAll(async () => {
  api = await openApi();
  const { database, log } = api.world;
  const listener = openListener({ url: api.databaseUrl, log });
  feed = openFeed({ database, listener, log, queueLimit: QUEUE_LIMIT });
  const world = { ...api.world, feed };
  server = await startApi({ world, graph: await openTestGraph() }, { host: '127.0.0.1', port: 0 });
  onTeardown(async () => {
    await server.close();
    await feed.close();
    await listener.close();
  });
});

const QUERY = 'subscription ($after: Int) { events(after: $after) { sequence data } }';

/**
 * Appends until the feed ends the client's operation, and returns the number of events. The capacity of the sockets on
 * both sides depends on the system: on Linux, a receive buffer can grow to 32 MiB.
 */
async function appendUntilLetGo(appId: string): Promise<number> {
  const data = { text: 'x'.repeat(EVENT_BYTES) };
  let appended = 0;
  while (feed.followers() > 0) {
    const events = Array.from({ length: OF_A_BATCH }, () => ({
      type: 'customer.updated' as const,
      resourceId: newId(),
      data,
    }));
    await transaction(api.database, (tx) => appendEvents(tx, appId, events));
    appended += OF_A_BATCH;
  }
  return appended;
}

type Message = {
  data?: { events: { sequence: number } } | null;
  errors?: { message: string; extensions: { code: string } }[];
};

/** The events arrive in order from the first and end before the last. The final error names the number to resume after. */
function requireCut(messages: Message[], appended: number): void {
  const sequences = messages.flatMap((one) => (one.data ? [one.data.events.sequence] : []));
  expect(sequences).toEqual(sequences.map((_one, index) => index + 1));
  expect(sequences.length).toBeLessThan(appended);
  const last = messages.at(-1)?.errors?.[0];
  expect(last?.extensions.code).toBe('RATE_LIMIT_EXCEEDED');
  expect(last?.message).toContain(`Subscribe again after ${sequences.length}.`);
}

describe('a client that does not read', () => {
  test('has its websocket operation ended with an error, and its connection stays usable', async () => {
    const { appId, secretKey } = api.merchantA;
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: { type: string; id?: string; payload?: Message }[] = [];
    socket.on('message', (text) => messages.push(JSON.parse(String(text))));
    const send = (message: object) => socket.send(JSON.stringify(message));
    const seen = (type: string, id?: string) => messages.some((one) => one.type === type && one.id === id);
    await new Promise((resolve) => socket.once('open', resolve));
    send({ type: 'connection_init', payload: { 'x-api-key': secretKey } });
    await expect.poll(() => seen('connection_ack')).toBe(true);
    send({ type: 'subscribe', id: 'slow', payload: { query: QUERY } });
    await expect.poll(() => feed.followers(), { timeout: 10_000 }).toBe(1);
    socket.pause();
    const appended = await appendUntilLetGo(appId);
    socket.resume();
    await expect.poll(() => seen('complete', 'slow'), { timeout: 20_000 }).toBe(true);
    requireCut(
      messages.flatMap((one) => (one.id === 'slow' && one.payload ? [one.payload] : [])),
      appended,
    );
    send({ type: 'subscribe', id: 'again', payload: { query: '{ viewer { kind } }' } });
    await expect.poll(() => seen('complete', 'again'), { timeout: 10_000 }).toBe(true);
    socket.close();
  });

  test('has its event stream ended with an error', async () => {
    const { appId, secretKey } = api.merchantB;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': secretKey };
      const sent = httpRequest(`${server.url}/graphql`, { method: 'POST', headers }, resolve);
      sent.on('error', reject);
      sent.end(JSON.stringify({ query: QUERY }));
    });
    await expect.poll(() => feed.followers(), { timeout: 10_000 }).toBe(1);
    const appended = await appendUntilLetGo(appId);
    let text = '';
    for await (const chunk of response) text += String(chunk);
    const messages = [...text.matchAll(/^data: (.+)$/gm)].map((match): Message => JSON.parse(match[1] ?? ''));
    requireCut(messages, appended);
    expect(text.trimEnd().endsWith('event: complete\ndata:')).toBe(true);
  });

  test('loses the connection of its stream eventually', async () => {
    const { promise: cut, resolve: noteCut } = Promise.withResolvers<void>();
    const piece = Buffer.alloc(EVENT_BYTES);
    const stream = createServer((_request, response) => {
      endWhenUnread(response, { lookMs: 50 });
      response.on('close', noteCut);
      // Until the sockets of both sides are full, whatever their capacity.
      const fill = () => {
        while (response.write(piece));
      };
      response.on('drain', fill);
      fill();
    });
    await new Promise<void>((resolve) => stream.listen(0, '127.0.0.1', resolve));
    onTeardown(async () => {
      stream.closeAllConnections();
      stream.close();
    });
    const address = stream.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const sent = httpRequest({ port, host: '127.0.0.1' });
    sent.on('error', () => undefined);
    // A response without a listener would be read and discarded.
    sent.on('response', (answer) => answer.on('error', () => undefined));
    sent.end();
    // Other work may delay the checks, so the only limit is the timeout of the test.
    await cut;
  });
});
