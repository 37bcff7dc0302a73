/**
 * Processes remember credentials for reads. If a credential ends or loses permissions, the process that ends it rejects it in
 * the next read, and another process as soon as it is notified. A process without notifications remembers nothing.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Database, Prisma } from '../../prisma/client.ts';
import { schema } from '../../src/api/graphql/schema.ts';
import type { World } from '../../src/api/graphql/server/world.ts';
import { openParts } from '../../src/api/open-parts.ts';
import { createApiKey } from '../../src/auth/create-api-key.ts';
import { openCredentialMemory } from '../../src/auth/credential-memory.ts';
import { logOut } from '../../src/auth/members/log-out.ts';
import { removeMember } from '../../src/auth/members/remove-member.ts';
import { revokeApiKey } from '../../src/auth/revoke-api-key.ts';
import { rotateApiKey } from '../../src/auth/rotate-api-key.ts';
import { revokeSession } from '../../src/card/revoke-session.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { newId } from '../../src/platform/identifier.ts';
import { callGraphql, openApi, type TestApi } from '../setup/api/api.ts';
import { everyMutation, type MadeCall, makeCall } from '../setup/api/every-mutation.ts';
import { followSse, followWs, wsClient } from '../setup/api/live.ts';
import { callRest } from '../setup/api/rest.ts';
import { openSecondApi } from '../setup/api/second-api.ts';
import { countStatements } from '../setup/database/count-statements.ts';
import { openDatabaseProxy } from '../setup/database/database-proxy.ts';
import { fingerprint } from '../setup/database/fingerprint.ts';
import { onTeardown } from '../setup/teardown.ts';

type Way = {
  /** The mutation whose credential is used: see test/setup/api/every-mutation.ts. */
  mutation: string;
  /** The document of the read. By default, the identity of the caller. */
  read?: string;
  before?: (database: Database, call: MadeCall) => Promise<unknown>;
  end: (world: Pick<World, 'database' | 'clock'>, call: MadeCall) => Promise<unknown>;
  /** The result of a read, and the code that rejects a write, afterwards. By default both are those of an ended credential. */
  shows?: unknown;
  write?: string;
};

const keyIs = (data: Prisma.ApiKeyUncheckedUpdateInput): Way => ({
  mutation: 'createCustomer',
  end: ({ database }, { rows }) => database.apiKey.update({ where: { id: rows.credential }, data }),
});
const loginIs = (data: Prisma.MemberSessionUncheckedUpdateInput): Way => ({
  mutation: 'createApp',
  end: ({ database }, { rows }) => database.memberSession.update({ where: { id: rows.credential }, data }),
});
const memberIs = (data: Prisma.MemberUncheckedUpdateInput): Way => ({
  mutation: 'createApp',
  end: async ({ database }, { rows }) =>
    database.member.update({ where: { id: await memberOf(database, rows.credential) }, data }),
});
const ended = new Date(0);

const ways: Record<string, Way> = {
  'a key is revoked': {
    mutation: 'createCustomer',
    end: (world, { rows }) => revokeApiKey(world, { holder: 'INSTALLATION', id: rows.credential }),
  },
  'a key is rotated without an overlap': {
    mutation: 'createCustomer',
    end: (world, { rows }) => rotateApiKey(world, { holder: 'INSTALLATION', id: rows.credential, overlapSeconds: 0 }),
  },
  'a key expires': keyIs({ expiresAt: ended }),
  'the secret of a key changes': keyIs({ keyHash: crypto.getRandomValues(new Uint8Array(32)) }),
  'a key is restricted': {
    ...keyIs({ isRestricted: true, scopes: [] }),
    read: '{ customers { totalCount } }',
    shows: ['AUTHORIZATION_ERROR'],
    write: 'AUTHORIZATION_ERROR',
  },
  'a key is restricted to another network': {
    ...keyIs({ allowedNetworks: ['203.0.113.0/24'] }),
    shows: ['AUTHORIZATION_ERROR'],
    write: 'AUTHORIZATION_ERROR',
  },
  'a key becomes publishable': {
    ...keyIs({ kind: 'PUBLISHABLE' }),
    read: '{ customers { totalCount } }',
    shows: ['AUTHORIZATION_ERROR'],
  },
  'a key is deleted': {
    mutation: 'createCustomer',
    end: ({ database }, { rows }) => database.apiKey.delete({ where: { id: rows.credential } }),
  },
  'all keys of an app are deleted with one statement': {
    mutation: 'createCustomer',
    end: ({ database }, { rows }) => database.$executeRaw`DELETE FROM api_key WHERE app_id = ${rows.app}::uuid`,
  },
  'an app is moved to another merchant': {
    mutation: 'createCustomer',
    read: '{ viewer { merchantId } }',
    end: ({ database }, { rows }) =>
      database.app.update({ where: { id: rows.app }, data: { merchant: { create: { id: rows.spare, name: 'O' } } } }),
    shows: ({ rows }: MadeCall) => ({ viewer: { merchantId: rows.spare } }),
  },
  'a login is ended': {
    mutation: 'createApp',
    end: async (world, { rows }) => {
      const memberId = await memberOf(world.database, rows.credential);
      await logOut(world, { memberId, sessionId: rows.credential, everywhere: true });
    },
  },
  'a login expires': loginIs({ expiresAt: ended }),
  'a member is removed': {
    mutation: 'createApp',
    end: async (world, { rows }) => {
      const memberId = await memberOf(world.database, rows.credential);
      const { merchantId } = await world.database.member.findUniqueOrThrow({ where: { id: memberId } });
      await world.database.member.create({
        data: { id: newId(), merchantId, email: `${newId()}@example.com`, role: 'OWNER', joinedAt: new Date() },
      });
      await removeMember(world, { merchantId, id: memberId });
    },
  },
  'a member is removed in the database': memberIs({ removedAt: ended }),
  'a member becomes a viewer': {
    ...memberIs({ role: 'VIEWER' }),
    read: '{ testClock { mayAdvance } }',
    shows: { testClock: { mayAdvance: false } },
    write: 'AUTHORIZATION_ERROR',
  },
  'a member is no longer an operator': {
    ...memberIs({ isOperator: false }),
    read: '{ installation { __typename } }',
    before: async (database, { rows }) =>
      database.member.update({ where: { id: await memberOf(database, rows.credential) }, data: { isOperator: true } }),
    shows: ['AUTHORIZATION_ERROR'],
    write: 'AUTHORIZATION_ERROR',
  },
  'a session of the card API is revoked': {
    mutation: 'unlinkAccount',
    end: (world, { rows }) => revokeSession(world, { userId: rows.user, id: rows.credential }),
  },
  'a session of the card API expires': {
    mutation: 'unlinkAccount',
    end: ({ database }, { rows }) =>
      database.cardSession.update({ where: { id: rows.credential }, data: { expiresAt: ended } }),
  },
  'a credential of the installation is revoked': {
    mutation: 'pauseChain',
    end: ({ database }, { rows }) =>
      database.platformCredential.update({ where: { id: rows.credential }, data: { revokedAt: ended } }),
  },
  'the secret of a checkout session changes': {
    mutation: 'prepareCheckout',
    end: ({ database }, { rows }) =>
      database.checkoutSession.update({
        where: { id: rows.credential },
        data: { clientSecretHash: new Uint8Array(32) },
      }),
  },
};

async function memberOf(database: Database, sessionId: string): Promise<string> {
  return (await database.memberSession.findUniqueOrThrow({ where: { id: sessionId } })).memberId;
}

const environment = {
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '100000',
  RATE_LIMIT_KEYLESS_PER_SECOND: '100000',
};
/** With a stopped clock, only a notification makes a process forget. */
const still = () => 0;

let api: TestApi;
/** Receives notifications, and its remembered credentials never expire. */
let elsewhere: Awaited<ReturnType<typeof openSecondApi>>;
/** Receives no notification. */
let unnotified: Awaited<ReturnType<typeof openSecondApi>>;
/** An installation whose database sends no notifications, and the time of its memory. */
let silentApi: TestApi;
let silentMs = 0;
beforeAll(async () => {
  api = await openApi({ parts: openParts, environment, rememberBy: still });
  elsewhere = await openSecondApi(api, { parts: openParts, rememberBy: still });
  unnotified = await openSecondApi(api, { parts: openParts, listenUrl: 'postgresql://nobody@127.0.0.1:1/none' });
  // The check of open connections every second is disabled.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    silentApi = await openApi({ parts: openParts, environment, rememberBy: () => silentMs });
  } finally {
    vi.useRealTimers();
  }
  await silentApi.database.$executeRaw`DROP FUNCTION announce_credential_change CASCADE`;
  await remembers(api, { 'x-api-key': api.merchantA.secretKey });
  await remembers(elsewhere, { 'x-api-key': api.merchantA.secretKey });
  await remembers(silentApi, { 'x-api-key': silentApi.merchantA.secretKey });
}, 120_000);

type Asked = Pick<TestApi, 'url' | 'world'>;

/** Waits until the process receives notifications and remembers the credential. */
async function remembers(process: Asked, headers: Record<string, string>): Promise<void> {
  const look = async () => {
    await seen(process, headers);
    return (process.world.memory?.size() ?? 0) > 0;
  };
  await vi.waitUntil(look, { timeout: 20_000 });
}

/** The codes of a read's errors, or its data. */
async function seen({ url }: Pick<TestApi, 'url'>, headers: Record<string, string>, document = WHO): Promise<unknown> {
  const { errors, data } = await callGraphql(url, document, {}, { headers });
  return errors?.map(({ extensions }) => extensions.code) ?? data;
}
const WHO = '{ viewer { kind } }';
const ENDED = ['AUTHENTICATION_ERROR'];

async function made({ database, world }: TestApi, { mutation, before }: Way): Promise<MadeCall> {
  const call = await makeCall(world, schema, mutation);
  await before?.(database, call);
  return call;
}

describe.each(Object.entries(ways))('%s', (_name, way) => {
  const { read = WHO, write = 'AUTHENTICATION_ERROR' } = way;
  const showsOf = (call: MadeCall) => (typeof way.shows === 'function' ? way.shows(call) : (way.shows ?? ENDED));

  test('is refused at once in the same process and without notifications, else on notification', async () => {
    const call = await made(api, way);
    const shows = showsOf(call);
    const before = await seen(unnotified, call.headers, read);
    expect(before).not.toEqual(shows);
    for (const process of [api, elsewhere]) {
      await remembers(process, call.headers);
      expect(await seen(process, call.headers, read)).toEqual(before);
    }
    await way.end(api.world, call);
    expect(await seen(api, call.headers, read)).toEqual(shows);
    expect(await seen(unnotified, call.headers, read)).toEqual(shows);
    await expect.poll(() => seen(elsewhere, call.headers, read), { timeout: 10_000 }).toEqual(shows);
    expect(unnotified.world.memory?.size()).toBe(0);
  });

  test('without a notification, allows reads for one second and no writes', async () => {
    const call = await made(silentApi, way);
    const shows = showsOf(call);
    const before = await seen(silentApi, call.headers, read);
    await way.end(silentApi.world, call);
    const rows = await fingerprint(silentApi.database);
    silentMs += 999;
    expect(await seen(silentApi, call.headers, read)).toEqual(before);
    // A payer's step fails in this test before its transaction, because there is no chain.
    if (!everyMutation[way.mutation]?.needsMore)
      expect(await seen(silentApi, call.headers, call.document)).toEqual([write]);
    expect(await fingerprint(silentApi.database)).toEqual(rows);
    silentMs += 1;
    expect(await seen(silentApi, call.headers, read)).toEqual(shows);
  });
});

test('a request that reads no data makes no database queries, and each tenant sees its own identity', async () => {
  const { merchantA, merchantB } = api;
  const keys = [merchantA.secretKey, merchantB.secretKey, merchantA.publishableKey];
  const WHOSE = '{ viewer { kind merchantId } }';
  const ask = () => Promise.all(keys.map((key) => seen(api, { 'x-api-key': key }, WHOSE)));
  const first = await ask();
  let again: unknown;
  const statements = await countStatements(async () => {
    again = await ask();
  });
  expect(statements.filter((text) => !text.includes('rate_bucket'))).toEqual([]);
  expect(again).toEqual(first);
  expect(first).toEqual([
    { viewer: { kind: 'secretKey', merchantId: merchantA.merchantId } },
    { viewer: { kind: 'secretKey', merchantId: merchantB.merchantId } },
    { viewer: { kind: 'publishableKey', merchantId: merchantA.merchantId } },
  ]);
});

test('another merchant cannot read an app’s data while the app’s key is remembered', async () => {
  const { merchantA, merchantB } = api;
  const input = { appId: merchantA.appId, name: 'Ada' };
  const MAKE = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  const { data } = await api.graphql(MAKE, { input }, { key: merchantA.secretKey });
  const path = `/customers/${data.createCustomer.id}`;
  for (let round = 0; round < 2; round++) {
    expect((await callRest(api.url, 'GET', path, { key: merchantA.secretKey })).status).toBe(200);
    expect((await callRest(api.url, 'GET', path, { key: merchantB.secretKey })).status).toBe(404);
  }
});

test('a key is valid until the instant it expires, even if it is remembered', async () => {
  const scope = { merchantId: api.merchantA.merchantId, appId: api.merchantA.appId };
  const expiresAt = new Date(api.clock.now().getTime() + 3_600_000);
  const { secret } = await createApiKey(api.world, { scope, kind: 'SECRET', expiresAt });
  const headers = { 'x-api-key': secret };
  expect(await seen(api, headers)).toEqual({ viewer: { kind: 'secretKey' } });
  api.clock.advance(3_590);
  expect(await seen(api, headers)).toEqual({ viewer: { kind: 'secretKey' } });
  api.clock.set(expiresAt);
  expect(await seen(api, headers)).toEqual(ENDED);
  api.clock.set(new Date());
});

test('a token is valid until the instant it expires, even if it is remembered', async () => {
  const { headers } = await makeCall(api.world, schema, 'connectSession');
  const good = { viewer: { kind: 'card' } };
  expect(await seen(api, headers)).toEqual(good);
  api.clock.advance(800);
  expect(await seen(api, headers)).toEqual(good);
  api.clock.advance(7_200);
  expect(await seen(api, headers)).toEqual(ENDED);
  api.clock.set(new Date());
});

test('a previously unknown key is valid as soon as it is created', async () => {
  const { headers, rows } = await makeCall(api.world, schema, 'createCustomer');
  const { database } = elsewhere;
  const key = await database.apiKey.findUniqueOrThrow({ where: { id: rows.credential } });
  await database.apiKey.delete({ where: { id: key.id } });
  await expect.poll(() => seen(api, headers), { timeout: 10_000 }).toEqual(ENDED);
  await database.apiKey.create({ data: key });
  expect(await seen(api, headers)).toEqual({ viewer: { kind: 'secretKey' } });
});

test('a process remembers no credentials while it cannot receive notifications, and resumes afterwards', async () => {
  const proxy = await openDatabaseProxy(api.databaseUrl);
  const lossy = await openSecondApi(api, { parts: openParts, listenUrl: proxy.url, rememberBy: still });
  const { headers, rows } = await makeCall(api.world, schema, 'createCustomer');
  await remembers(lossy, headers);
  await proxy.turn('refused');
  await expect.poll(() => lossy.world.memory?.size(), { timeout: 10_000 }).toBe(0);
  expect(await seen(lossy, headers)).toEqual({ viewer: { kind: 'secretKey' } });
  expect(lossy.world.memory?.size()).toBe(0);
  await revokeApiKey(api.world, { holder: 'INSTALLATION', id: rows.credential });
  expect(await seen(lossy, headers)).toEqual(ENDED);
  await proxy.turn('open');
  await remembers(lossy, { 'x-api-key': api.merchantA.secretKey });
  expect(await seen(lossy, headers)).toEqual(ENDED);
});

test('open connections are checked against the database', async () => {
  const { headers, rows } = await makeCall(silentApi.world, schema, 'createCustomer');
  const open = wsClient(silentApi.url, headers);
  expect(await followWs(open, WHO).next()).toEqual({ data: { viewer: { kind: 'secretKey' } } });
  expect(await seen(silentApi, headers)).toEqual({ viewer: { kind: 'secretKey' } });
  await revokeApiKey(silentApi.world, { holder: 'INSTALLATION', id: rows.credential });
  // It is still remembered for reads over HTTP.
  expect(await seen(silentApi, headers)).toEqual({ viewer: { kind: 'secretKey' } });
  const stream = await followSse(silentApi.url, 'subscription { events { id } }', {}, headers);
  expect(await stream.next()).toMatchObject({ errors: [{ extensions: { code: 'AUTHENTICATION_ERROR' } }] });
  await stream.stop();
  expect(await followWs(open, WHO).next()).toMatchObject({
    errors: [{ extensions: { code: 'AUTHENTICATION_ERROR' } }],
  });
  expect((await wsClient(silentApi.url, headers).closed).code).toBe(4401);
  await open.dispose();
});

test('the number of remembered credentials is limited', async () => {
  const listener = openListener({ url: api.databaseUrl, log: api.world.log });
  onTeardown(() => listener.close());
  const memory = openCredentialMemory({ database: api.database, listener, limit: 2, nowMs: still });
  const small = await openSecondApi(api, { parts: openParts, others: { memory } });
  await remembers(small, { 'x-api-key': api.merchantA.secretKey });
  for (const { secretKey, publishableKey } of [api.merchantA, api.merchantB, api.liveApp]) {
    for (const key of [secretKey, publishableKey]) await seen(small, { 'x-api-key': key });
  }
  expect(memory.size()).toBe(2);
});
