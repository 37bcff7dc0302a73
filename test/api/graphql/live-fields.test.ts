/** The live fields that each caller may follow. Each sends the current state first and then every change. */
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Subscription, transaction } from '../../../prisma/client.ts';
import { openParts } from '../../../src/api/open-parts.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import { appendEvents, type NewEvent } from '../../../src/events/append-events.ts';
import type { EventType } from '../../../src/events/event-type.ts';
import { queueDeliveries } from '../../../src/events/webhooks/queue-deliveries.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { subscriptionFields } from '../../../src/subscriptions/subscription-fields.ts';
import { openApi, type TestApi, type TestApp } from '../../setup/api/api.ts';
import { followSse, followWs, type Live, wsClient } from '../../setup/api/live.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';

let api: TestApi;
let rows: TenantRows;
beforeAll(async () => {
  api = await openApi({
    rpc: { 31337: 'http://127.0.0.1:1' },
    parts: openParts,
    environment: { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '60', RATE_LIMIT_KEYLESS_PER_SECOND: '1000' },
  });
  rows = await newRows(api.merchantA);
});

/** Creates rows without the event and its delivery, because a sequence begins at 1. */
async function newRows(owner: TestApp): Promise<TenantRows> {
  const made = await makeTenantRows(api.database, owner);
  await api.database.webhookDelivery.deleteMany({ where: { appId: owner.appId } });
  await api.database.event.deleteMany({ where: { appId: owner.appId } });
  return made;
}

const codeOf = async (live: Live) => {
  const result = await live.next();
  return result === 'end' ? result : result.errors?.[0]?.extensions.code;
};
const ws = (headers: Record<string, string>) => wsClient(api.url, headers);

describe('subscriptionUpdated', () => {
  const document = 'subscription ($id: ID!) { subscriptionUpdated(id: $id) { id status pausedAt productPlan { id } } }';

  test('sends the current state first and then each whole change', async () => {
    const { subscription: id, plan } = rows;
    const client = ws({ 'x-api-key': api.merchantA.secretKey });
    const live = followWs(client, document, { id });
    const { status } = await api.database.subscription.findUniqueOrThrow({ where: { id } });
    const present = { id, status, pausedAt: null, productPlan: { id: plan } };
    expect(await live.next()).toEqual({ data: { subscriptionUpdated: present } });
    const pausedAt = new Date();
    await transaction(api.database, async (tx) => {
      await tx.subscription.update({ where: { id }, data: { status: 'PAUSED', pausedAt } });
      await appendEvents(tx, api.merchantA.appId, [
        { type: 'subscription.paused', resourceId: id, data: { id, status: 'PAUSED' } },
      ]);
    });
    const paused = { ...present, status: 'PAUSED', pausedAt: pausedAt.toISOString() };
    expect(await live.next()).toEqual({ data: { subscriptionUpdated: paused } });
    await client.dispose();
  });

  test('resumes after a number with the subscription’s state at each event of it and of its invoices', async () => {
    const { subscription: id, invoice } = rows;
    const { appId, secretKey: key } = api.merchantA;
    const read = async () => {
      const { data } = await api.graphql(
        'query ($id: ID!) { subscription(id: $id) { sequence status } }',
        { id },
        { key },
      );
      return data.subscription;
    };
    const { sequence: after } = await read();
    const change = (data: Pick<Subscription, 'status' | 'pausedAt'>, type: EventType) =>
      transaction(api.database, async (tx) => {
        const changed = await tx.subscription.update({ where: { id }, data });
        await appendEvents(tx, appId, [{ type, resourceId: id, data: subscriptionFields(changed) }]);
      });
    const pausedAt = new Date();
    await change({ status: 'PAUSED', pausedAt }, 'subscription.paused');
    const [opened] = await transaction(api.database, (tx) =>
      appendEvents(tx, appId, [
        { type: 'invoice.opened', resourceId: invoice, data: { id: invoice, subscriptionId: id } },
        { type: 'invoice.opened', resourceId: newId(), data: { subscriptionId: newId() } },
      ]),
    );
    await change({ status: 'ACTIVE', pausedAt: null }, 'subscription.resumed');
    const client = ws({ 'x-api-key': key });
    const resumed = `subscription ($id: ID!, $after: Int) {
      subscriptionUpdated(id: $id, after: $after) { sequence status pausedAt }
    }`;
    const live = followWs(client, resumed, { id, after });
    const paused = { status: 'PAUSED', pausedAt: pausedAt.toISOString() };
    const updates = [
      { sequence: after + 1, ...paused },
      { sequence: Number(opened?.sequence), ...paused },
      { sequence: after + 4, status: 'ACTIVE', pausedAt: null },
    ];
    for (const subscriptionUpdated of updates) expect(await live.next()).toEqual({ data: { subscriptionUpdated } });
    expect(await read()).toEqual({ sequence: after + 4, status: 'ACTIVE' });
    // From an intermediate number, and without a number, only the current state is sent.
    const later = followWs(client, resumed, { id, after: after + 2 });
    expect(await later.next()).toEqual({ data: { subscriptionUpdated: updates[2] } });
    expect(await followWs(client, resumed, { id }).next()).toEqual({ data: { subscriptionUpdated: updates[2] } });
    expect(await codeOf(followWs(client, resumed, { id, after: after + 5 }))).toBe('VALIDATION_ERROR');
    await client.dispose();
  });

  test.each([
    ['another merchant', () => ({ 'x-api-key': api.merchantB.secretKey }), 'NOT_FOUND'],
    ['a publishable key', () => ({ 'x-api-key': api.merchantA.publishableKey }), 'AUTHORIZATION_ERROR'],
    ['nobody', () => ({}), 'AUTHENTICATION_ERROR'],
  ])('refuses %s', async (_who, headers, code) => {
    const live = await followSse(api.url, document, { id: rows.subscription }, headers());
    expect(await codeOf(live)).toBe(code);
    await live.stop();
  });
});

describe('chainStatus', () => {
  const document = 'subscription { chainStatus { chainId headBlock } }';

  test('is read once for all followers, sent on change and ended if an operator’s credential is revoked', async () => {
    await api.database.chainCursor.create({ data: { chainId: 31337, headNumber: 5n } });
    const { secret, credential } = await createPlatformCredential(api, { role: 'OPERATOR', name: 'O' });
    const clients = [ws({ 'x-api-key': api.merchantA.secretKey }), ws({ 'x-api-key': secret })];
    const lives = clients.map((client) => followWs(client, document));
    const status = (headBlock: string) => ({ data: { chainStatus: [{ chainId: 31337, headBlock }] } });
    for (const live of lives) expect(await live.next()).toEqual(status('5'));
    await api.database.chainCursor.update({ where: { chainId: 31337 }, data: { headNumber: 6n } });
    for (const live of lives) expect(await live.next()).toEqual(status('6'));
    await api.database.platformCredential.update({ where: { id: credential.id }, data: { revokedAt: new Date() } });
    expect(await codeOf(lives[1] as Live)).toBe('AUTHENTICATION_ERROR');
    expect((await clients[1]?.closed)?.code).toBe(4401);
    await clients[0]?.dispose();
  });
});

describe('a payer', () => {
  test('follows only the session of its client secret', async () => {
    const { data } = await api.graphql(
      'mutation ($input: CreateCheckoutSessionInput!) { createCheckoutSession(input: $input) { id paymentIntentId clientSecret } }',
      { input: { items: [{ name: 'Tea', amount: '10.00' }] } },
      { key: api.merchantA.secretKey },
    );
    const { id, paymentIntentId, clientSecret } = data.createCheckoutSession;
    const client = ws({ 'x-client-secret': clientSecret });
    const own = followWs(client, 'subscription ($id: ID!) { checkoutUpdated(id: $id) { session { status } } }', { id });
    expect(await own.next()).toEqual({ data: { checkoutUpdated: { session: { status: 'OPEN' } } } });
    const forbidden: [string, string][] = [
      [`checkoutUpdated(id: "${rows.session}") { appName }`, 'NOT_FOUND'],
      [`paymentIntentUpdated(id: "${paymentIntentId}") { id }`, 'AUTHORIZATION_ERROR'],
      ['paymentIntentsUpdated { id }', 'AUTHORIZATION_ERROR'],
      [`subscriptionUpdated(id: "${rows.subscription}") { id }`, 'AUTHORIZATION_ERROR'],
      ['events(after: 0) { id }', 'AUTHORIZATION_ERROR'],
      ['chainStatus { chainId }', 'AUTHORIZATION_ERROR'],
    ];
    for (const [field, code] of forbidden) {
      expect([field, await codeOf(followWs(client, `subscription { ${field} }`))]).toEqual([field, code]);
    }
    // Events of another payment of the same app are not sent, but those of its own are.
    const events: NewEvent[] = [
      { type: 'payment_intent.pending', resourceId: rows.intent, data: { id: rows.intent } },
      { type: 'checkout_session.expired', resourceId: id, data: { id, paymentIntentId } },
      { type: 'payment_intent.cancelled', resourceId: paymentIntentId, data: { id: paymentIntentId } },
    ];
    for (const event of events) {
      await transaction(api.database, (tx) => appendEvents(tx, api.merchantA.appId, [event]));
      if (event.resourceId === rows.intent) continue;
      expect(await own.next()).toMatchObject({ data: { checkoutUpdated: { session: { status: 'OPEN' } } } });
    }
    expect(api.world.feed.followers()).toBe(1);
    await client.dispose();
  });
});

describe('events', () => {
  test('resume after a number over server-sent events', async () => {
    const read = async (after: number, count: number) => {
      const headers = { 'x-api-key': api.merchantA.secretKey };
      const document = 'subscription ($after: Int) { events(after: $after) { sequence } }';
      const live = await followSse(api.url, document, { after }, headers);
      const seen: number[] = [];
      while (seen.length < count) {
        const result = await live.next();
        if (result === 'end') break;
        seen.push(result.data.events.sequence);
      }
      await live.stop();
      return seen;
    };
    expect(await read(0, 2)).toEqual([1, 2]);
    expect(await read(2, 1)).toEqual([3]);
  });

  test('include their deliveries', async () => {
    const { appId, secretKey: key } = api.merchantB;
    const own = await newRows(api.merchantB);
    const [event] = await transaction(api.database, (tx) =>
      appendEvents(tx, appId, [{ type: 'payment_intent.pending', resourceId: own.intent, data: { id: own.intent } }]),
    );
    const sequence = event?.sequence ?? 0n;
    await queueDeliveries(api, { appId, first: sequence, last: sequence });
    const document =
      'query ($id: ID!) { paymentIntent(id: $id) { events { type deliveries { status attempts payload tries { latencyMs } } } } }';
    const { data } = await api.graphql(document, { id: own.intent }, { key });
    const pendingEvent = data.paymentIntent.events.find(
      (one: { type: string }) => one.type === 'payment_intent.pending',
    );
    expect(pendingEvent.deliveries).toEqual([
      { status: 'PENDING', attempts: 0, tries: [], payload: expect.objectContaining({ id: event?.id, sequence: 1 }) },
    ]);
  });
});

describe('a websocket', () => {
  test('counts each operation and each connection against the key’s rate limit', async () => {
    const { secretKey } = api.liveApp;
    const client = ws({ 'x-api-key': secretKey });
    const lives = Array.from({ length: 150 }, () => followWs(client, 'query { viewer { kind } }'));
    // An operation that never began rejects with its errors.
    const refused = (errors: { extensions: { code: string } }[]) => errors[0]?.extensions.code;
    const codes = await Promise.all(lives.map((live) => codeOf(live).catch(refused)));
    expect(new Set(codes)).toEqual(new Set([undefined, 'RATE_LIMIT_EXCEEDED']));
    await client.dispose();
    const late = Array.from({ length: 30 }, () => {
      const socket = new WebSocket(`${api.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      // It is terminated below, possibly before it is open.
      socket.on('error', () => undefined);
      const init = { type: 'connection_init', payload: { 'x-api-key': secretKey } };
      socket.once('open', () => socket.send(JSON.stringify(init)));
      return { socket, closed: new Promise<number>((resolve) => socket.once('close', resolve)) };
    });
    expect(await Promise.race(late.map((one) => one.closed))).toBe(4429);
    for (const { socket } of late) socket.terminate();
  });
});
