import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PaymentIntentStatus, transaction } from '../../../prisma/client.ts';
import { openLiveCredentials } from '../../../src/api/graphql/server/live-credentials.ts';
import { appendEvents } from '../../../src/events/append-events.ts';
import type { EventType } from '../../../src/events/event-type.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openApi, type TestApi, type TestApp } from '../../setup/api/api.ts';
import { followSse, followWs, wsClient } from '../../setup/api/live.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

async function newIntent(app: TestApp, amount = '10.00'): Promise<string> {
  const { data } = await api.graphql(
    'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id } }',
    { input: { amount } },
    { key: app.secretKey },
  );
  return data.createPaymentIntent.id;
}

/** Has the effect of a fact: a new status, with its event in the same transaction. */
async function move(app: TestApp, id: string, status: PaymentIntentStatus, type: EventType): Promise<void> {
  await transaction(api.database, async (tx) => {
    await tx.paymentIntent.update({ where: { id }, data: { status } });
    await appendEvents(tx, app.appId, [{ type, resourceId: id, data: { id, status } }]);
  });
}

const UPDATED = `subscription ($id: ID!) { paymentIntentUpdated(id: $id) { id status amount transactions { id } } }`;
const EVENTS =
  'subscription ($after: Int, $types: [String!]) { events(after: $after, types: $types) { sequence type resourceId } }';

describe('paymentIntentUpdated', () => {
  test('sends the current state first and then each whole change over a websocket', async () => {
    const id = await newIntent(api.merchantA);
    const client = wsClient(api.url, { 'x-api-key': api.merchantA.secretKey });
    const live = followWs(client, UPDATED, { id });
    const intent = { id, amount: '10.00', transactions: [] };
    expect(await live.next()).toEqual({ data: { paymentIntentUpdated: { ...intent, status: 'CREATED' } } });
    await move(api.merchantA, id, 'AUTHORIZED', 'payment_intent.authorized');
    expect(await live.next()).toEqual({ data: { paymentIntentUpdated: { ...intent, status: 'AUTHORIZED' } } });
    await move(api.merchantA, id, 'CAPTURED', 'payment_intent.captured');
    expect(await live.next()).toEqual({ data: { paymentIntentUpdated: { ...intent, status: 'CAPTURED' } } });
    await live.stop();
    await client.dispose();
  });

  test('sends the same over server-sent events', async () => {
    const id = await newIntent(api.merchantA);
    const live = await followSse(api.url, UPDATED, { id }, { 'x-api-key': api.merchantA.secretKey });
    expect(await live.next()).toMatchObject({ data: { paymentIntentUpdated: { status: 'CREATED' } } });
    await move(api.merchantA, id, 'CANCELLED', 'payment_intent.cancelled');
    expect(await live.next()).toMatchObject({ data: { paymentIntentUpdated: { status: 'CANCELLED' } } });
    await live.stop();
  });

  test('returns NOT_FOUND for another merchant’s intent, and refuses anonymous callers', async () => {
    const id = await newIntent(api.merchantA);
    const cases = [
      [{ 'x-api-key': api.merchantB.secretKey }, 'NOT_FOUND'],
      [{ 'x-api-key': api.merchantA.publishableKey }, 'AUTHORIZATION_ERROR'],
      [{}, 'AUTHENTICATION_ERROR'],
    ] as const;
    for (const [params, code] of cases) {
      const client = wsClient(api.url, params);
      const live = followWs(client, UPDATED, { id });
      const result = await live.next();
      expect(result === 'end' ? result : result.errors?.[0]?.extensions.code).toBe(code);
      await client.dispose();
      const sse = await followSse(api.url, UPDATED, { id }, params);
      const refusal = await sse.next();
      expect(refusal === 'end' ? refusal : refusal.errors?.[0]?.extensions.code).toBe(code);
      await sse.stop();
    }
  });

  test('frees all resources after a follower disconnects', async () => {
    const id = await newIntent(api.merchantA);
    const client = wsClient(api.url, { 'x-api-key': api.merchantA.secretKey });
    const live = followWs(client, UPDATED, { id });
    await live.next();
    expect(api.world.feed.followers()).toBeGreaterThan(0);
    await live.stop();
    await client.dispose();
    await expect.poll(() => api.world.feed.followers()).toBe(0);
  });
});

describe('paymentIntentsUpdated', () => {
  test('sends the payments that match the filter', async () => {
    const client = wsClient(api.url, { 'x-api-key': api.merchantB.secretKey });
    const live = followWs(
      client,
      'subscription ($filter: PaymentIntentFilter) { paymentIntentsUpdated(filter: $filter) { id status } }',
      { filter: { amountFrom: '50' } },
    );
    const first = await newIntent(api.merchantB, '60');
    expect(await live.next()).toEqual({ data: { paymentIntentsUpdated: { id: first, status: 'CREATED' } } });
    await newIntent(api.merchantB, '5');
    await newIntent(api.merchantA, '70');
    const second = await newIntent(api.merchantB, '80');
    await expect
      .poll(async () => {
        const result = await live.next();
        return result === 'end' ? result : result.data.paymentIntentsUpdated.id;
      })
      .toBe(second);
    await client.dispose();
  });
});

describe('events', () => {
  test('resumes after a reconnect without gaps or duplicates', async () => {
    const id = await newIntent(api.liveApp);
    const client = wsClient(api.url, { 'x-api-key': api.liveApp.secretKey });
    const first = followWs(client, EVENTS, { after: 0 });
    expect(await first.next()).toMatchObject({ data: { events: { sequence: 1, type: 'payment_intent.created' } } });
    await first.stop();
    for (let index = 0; index < 5; index += 1) await move(api.liveApp, id, 'AUTHORIZED', 'payment_intent.pending');
    const second = followWs(client, EVENTS, { after: 1 });
    const seen: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      const result = await second.next();
      if (result !== 'end') seen.push(result.data.events.sequence);
    }
    await move(api.liveApp, id, 'CAPTURED', 'payment_intent.captured');
    const last = await second.next();
    if (last !== 'end') seen.push(last.data.events.sequence);
    expect(seen).toEqual([2, 3, 4, 5, 6, 7]);
    await client.dispose();
  });

  test('filters the sequence by types, and names an unknown type', async () => {
    const client = wsClient(api.url, { 'x-api-key': api.liveApp.secretKey });
    const live = followWs(client, EVENTS, { after: 0, types: ['payment_intent.captured'] });
    expect(await live.next()).toMatchObject({ data: { events: { type: 'payment_intent.captured' } } });
    const bad = followWs(client, EVENTS, { types: ['nope'] });
    const result = await bad.next();
    expect(result === 'end' ? result : result.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      param: 'types[0]',
    });
    await client.dispose();
  });

  test('delivers every number once and in order during concurrent writes', async () => {
    const id = await newIntent(api.merchantA);
    const cursor = await api.database.eventCursor.findUnique({ where: { appId: api.merchantA.appId } });
    const after = Number(cursor?.lastSequence);
    const client = wsClient(api.url, { 'x-api-key': api.merchantA.secretKey });
    const live = followWs(client, EVENTS, { after });
    await Promise.all(
      Array.from({ length: 30 }, () => move(api.merchantA, id, 'AUTHORIZED', 'payment_intent.pending')),
    );
    const seen: number[] = [];
    while (seen.length < 30) {
      const result = await live.next();
      if (result === 'end') break;
      seen.push(result.data.events.sequence);
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => after + 1 + index));
    await client.dispose();
  });

  test('returns the same sequence page by page in the query', async () => {
    const document =
      'query ($after: Int, $limit: Int!) { events(after: $after, limit: $limit) { items { sequence } hasMore } }';
    const { data } = await api.graphql(document, { after: 0, limit: 2 }, { key: api.liveApp.secretKey });
    expect(data.events).toEqual({ items: [{ sequence: 1 }, { sequence: 2 }], hasMore: true });
    const bad = await api.graphql(document, { after: -1, limit: 1001 }, { key: api.liveApp.secretKey });
    expect(bad.errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });
});

describe('a credential of live updates', () => {
  async function newKey(app: TestApp): Promise<{ id: string; secret: string }> {
    const { data } = await api.graphql(
      'mutation { createApiKey(input: { kind: SECRET }) { secret apiKey { id } } }',
      {},
      { key: app.secretKey },
    );
    return { id: data.createApiKey.apiKey.id, secret: data.createApiKey.secret };
  }
  const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { revokedAt } }';

  test('loses its websocket and its event stream when it is revoked', async () => {
    const key = await newKey(api.merchantA);
    const id = await newIntent(api.merchantA);
    const client = wsClient(api.url, { 'x-api-key': key.secret });
    const live = followWs(client, UPDATED, { id });
    await live.next();
    const stream = await followSse(api.url, UPDATED, { id }, { 'x-api-key': key.secret });
    await stream.next();
    await api.graphql(REVOKE, { id: key.id }, { key: api.merchantA.secretKey });
    const refusal = await live.next();
    expect(refusal === 'end' ? refusal : refusal.errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
    expect((await client.closed).code).toBe(4401);
    const last = await stream.next();
    expect(last === 'end' ? last : last.errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
    expect(await stream.next()).toBe('end');
    const again = await api.graphql('{ viewer { kind } }', {}, { key: key.secret });
    expect(again.status).toBe(401);
  });

  test('keeps a connection that is opened during a check of credentials', async () => {
    const { database, world } = api;
    const key = await newKey(api.merchantA);
    const principal = {
      kind: 'apiKey' as const,
      merchantId: api.merchantA.merchantId,
      appId: api.merchantA.appId,
      keyKind: 'SECRET' as const,
      mode: 'TEST' as const,
      keyHash: '',
      scopes: null,
      allowedNetworks: [],
    };
    const credentials = openLiveCredentials(world);
    const cut: string[] = [];
    credentials.watch({ ...principal, apiKeyId: newId() }, () => cut.push('of no key'));
    await transaction(database, async (tx) => {
      await tx.$executeRaw`LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE`;
      const waiting = () =>
        tx.$queryRaw<object[]>`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'api_key'::regclass`;
      await expect.poll(async () => (await waiting()).length, { timeout: 10_000 }).toBe(1);
      credentials.watch({ ...principal, apiKeyId: key.id }, () => cut.push('of a good key'));
    });
    await expect.poll(() => cut, { timeout: 10_000 }).toContain('of no key');
    expect(cut).toEqual(['of no key']);
    credentials.close();
  });

  test('opens no websocket if it is wrong', async () => {
    const client = wsClient(api.url, { 'x-api-key': 'sk_test_wrong' });
    const live = followWs(client, UPDATED, { id: crypto.randomUUID() });
    await live.next().catch(() => undefined);
    expect((await client.closed).code).toBe(4401);
  });
});
