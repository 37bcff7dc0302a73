/** After the test clock was moved in one process, another process writes the new time, even without a notification. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Database, transaction } from '../../prisma/client.ts';
import { guardedWorld } from '../../src/api/graphql/server/world.ts';
import { openParts } from '../../src/api/open-parts.ts';
import { createPaymentIntent } from '../../src/payments/create-payment-intent.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type FollowedClock, openClock } from '../../src/test-clock/open-clock.ts';
import { readTestClock } from '../../src/test-clock/read-test-clock.ts';
import { lockClock, writeOffset } from '../../src/test-clock/store.ts';
import { openApi, type TestApi } from '../setup/api/api.ts';
import { followWs, wsClient } from '../setup/api/live.ts';
import { callRest } from '../setup/api/rest.ts';
import { openSecondApi } from '../setup/api/second-api.ts';
import { onTeardown } from '../setup/teardown.ts';

const DAY_MS = 86_400_000;
const TEA = { items: [{ name: 'Tea', amount: '3' }] };
const OPEN = 'mutation { createCheckoutSession(input: { items: [{ name: "Tea", amount: "3" }] }) { expiresAt } }';

let api: TestApi;
let time: FollowedClock;
let elsewhere: Awaited<ReturnType<typeof openSecondApi>>;
/** It is never connected, because nothing listens before it is followed. */
const nowhere = openListener({ url: 'postgresql://nobody@127.0.0.1:1/none', log: silentLog });
let days = 0;
beforeAll(async () => {
  api = await openApi();
  // It neither listens nor polls, so that it learns nothing by itself.
  time = openClock({ database: api.database, listener: nowhere, log: silentLog, movable: true });
  elsewhere = await openSecondApi(api, { parts: openParts, others: { clock: time.clock, time } });
});

/** Does what the worker does at the end of an advance, one more day each time. */
async function advance(database: Database): Promise<void> {
  days += 1;
  await transaction(database, async (tx) => {
    await lockClock(tx);
    await writeOffset(tx, days * DAY_MS);
  });
}

/** Days from now to the end of the session, which is valid for an hour. */
const daysAhead = (expiresAt: string) => Math.floor((new Date(expiresAt).getTime() - Date.now()) / DAY_MS);

describe('a process without notification of an advance', () => {
  test('writes the new time over REST and GraphQL', async () => {
    const key = api.merchantA.secretKey;
    await advance(api.database);
    const rest = await callRest(elsewhere.url, 'POST', '/checkout-sessions', { key, body: TEA });
    expect(daysAhead(rest.body.data.expiresAt)).toBe(days);
    await advance(api.database);
    const { data } = await elsewhere.graphql(OPEN, {}, { key });
    expect(daysAhead(data.createCheckoutSession.expiresAt)).toBe(days);
    await advance(api.database);
    const intent = await callRest(elsewhere.url, 'POST', '/payments/intents', { key, body: { amount: '3' } });
    expect(daysAhead(intent.body.data.expiresAt)).toBe(days);
  });

  test('writes the new time in raw SQL, which reads the time itself', async () => {
    const scope = { merchantId: api.merchantA.merchantId, appId: api.merchantA.appId };
    const key = await api.database.apiKey.findFirstOrThrow({ where: { appId: scope.appId, kind: 'SECRET' } });
    const principal = {
      kind: 'apiKey',
      keyKind: 'SECRET',
      apiKeyId: key.id,
      keyHash: Buffer.from(key.keyHash).toString('base64'),
      mode: 'TEST',
      scopes: null,
      allowedNetworks: [],
      ...scope,
    } as const;
    const world = guardedWorld(elsewhere.world, principal);
    await advance(api.database);
    const intent = await createPaymentIntent(world, { scope, fields: { amount: '3' } });
    expect(Math.round((intent.createdAt.getTime() - Date.now()) / DAY_MS)).toBe(days);
    await api.database.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } });
    const before = await api.database.paymentIntent.count();
    await expect(createPaymentIntent(world, { scope, fields: { amount: '3' } })).rejects.toMatchObject({
      code: 'AUTHENTICATION_ERROR',
      message: 'The API key is revoked.',
    });
    await api.database.apiKey.update({ where: { id: key.id }, data: { revokedAt: null } });
    expect(await api.database.paymentIntent.count()).toBe(before);
  });

  test('writes the new time over an open connection', async () => {
    const client = wsClient(elsewhere.url, { 'x-api-key': api.merchantA.secretKey });
    for (let round = 0; round < 3; round++) {
      await advance(api.database);
      const answer = await followWs(client, OPEN).next();
      expect(answer).toMatchObject({ data: { createCheckoutSession: {} } });
      if (answer !== 'end') expect(daysAhead(answer.data.createCheckoutSession.expiresAt)).toBe(days);
    }
    await client.dispose();
  });

  test('writes the new time for a payer without a credential', async () => {
    const key = api.merchantA.secretKey;
    const slug = crypto.randomUUID();
    const input = { appId: api.merchantA.appId, name: 'Tea', slug, amount: '3' };
    const LINK = 'mutation ($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) { id } }';
    expect((await api.graphql(LINK, { input }, { key })).errors).toBeUndefined();
    await advance(api.database);
    const START = 'mutation ($slug: String!) { startLinkCheckout(slug: $slug) { expiresAt } }';
    const { data } = await elsewhere.graphql(START, { slug });
    expect(daysAhead(data.startLinkCheckout.expiresAt)).toBe(days);
  });

  test('writes the new time if the advance ends during the call, because its transaction reads the time', async () => {
    const world = guardedWorld(elsewhere.world, { kind: 'anonymous' });
    await advance(api.database);
    const now = await transaction(world.database, async () => world.clock.now());
    expect(Math.round((now.getTime() - Date.now()) / DAY_MS)).toBe(days);
  });

  test('reports a database that does not respond, and writes nothing', async () => {
    const broken = { ...time, catchUp: () => Promise.reject(new Error('away')) };
    const third = await openSecondApi(api, { others: { time: broken } });
    const before = await api.database.checkoutSession.count();
    const { errors } = await third.graphql(OPEN, {}, { key: api.merchantA.secretKey });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['INTERNAL_ERROR']);
    expect(await api.database.checkoutSession.count()).toBe(before);
  });
});

describe('reads', () => {
  const NOW = '{ viewer { kind } }';

  test('use the new time at once if notifications are not received', async () => {
    await advance(api.database);
    await elsewhere.graphql(NOW, {}, { key: api.merchantA.secretKey });
    expect(Math.round((time.clock.now().getTime() - Date.now()) / DAY_MS)).toBe(days);
  });

  test('use the new time on notification, without requesting it', async () => {
    const listener = openListener({ url: api.databaseUrl, log: silentLog });
    const follower = openClock({ database: api.database, listener, log: silentLog, movable: true });
    onTeardown(async () => {
      await follower.close();
      await listener.close();
    });
    await follower.follow();
    await expect.poll(() => follower.isListening(), { timeout: 10_000 }).toBe(true);
    await advance(api.database);
    const ahead = () => Math.round((follower.clock.now().getTime() - Date.now()) / DAY_MS);
    await expect.poll(ahead, { timeout: 10_000 }).toBe(days);
  });

  test('use the time of the process’s own responses', async () => {
    const alone = openClock({ database: api.database, listener: nowhere, log: silentLog, movable: true });
    await advance(api.database);
    await readTestClock({ ...api.world, time: alone }, { waitSeconds: 0 });
    expect(Math.round((alone.clock.now().getTime() - Date.now()) / DAY_MS)).toBe(days);
  });
});

test('the offset is not read if time cannot be moved', async () => {
  const still = openClock({ database: api.database, listener: nowhere, log: silentLog, movable: false });
  expect(still.isMovable).toBe(false);
  const asked: string[] = [];
  const reader = new Proxy(api.database, {
    get(_target, name) {
      asked.push(String(name));
      return undefined;
    },
  });
  await still.catchUp(reader);
  expect(asked).toEqual([]);
});
