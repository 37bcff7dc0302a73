import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/auth/create-api-key.ts';
import { noteKeyUse } from '../../src/auth/keys/note-key-use.ts';
import { openApi, type TestApi } from '../setup/api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const VIEWER = '{ viewer { kind merchantId app { id mode } roles } }';

describe('authenticate', () => {
  test('returns the identity of the caller', async () => {
    const { merchantA, liveApp } = api;
    const secret = await api.graphql(VIEWER, {}, { key: merchantA.secretKey });
    expect(secret.data.viewer).toEqual({
      kind: 'secretKey',
      merchantId: merchantA.merchantId,
      app: { id: merchantA.appId, mode: 'TEST' },
      roles: [],
    });
    const publishable = await api.graphql(VIEWER, {}, { key: liveApp.publishableKey });
    expect(publishable.data.viewer).toMatchObject({ kind: 'publishableKey', app: { mode: 'LIVE' } });
    expect((await api.graphql(VIEWER)).data.viewer).toMatchObject({ kind: 'anonymous', app: null });
  });

  test.each([
    [{ 'x-api-key': '' }],
    [{ 'x-api-key': 'x' }],
    [{ 'x-api-key': `sk_test_${'a'.repeat(43)}` }],
    [{ authorization: 'Bearer nope' }],
    [{ authorization: 'Basic eDp5' }],
    [{ 'x-client-secret': 'nope' }],
    [{ 'x-client-secret': `cs_${'A'.repeat(64)}` }],
  ])('rejects %j', async (headers) => {
    const { status, errors } = await api.graphql(VIEWER, {}, { headers });
    expect(status).toBe(401);
    expect(errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
  });

  test('gives keys a prefix by kind and mode, and stores only their hashes', async () => {
    expect(api.merchantA.secretKey).toMatch(/^sk_test_[A-Za-z0-9_-]{43}$/);
    expect(api.merchantA.publishableKey).toMatch(/^pk_test_/);
    expect(api.liveApp.secretKey).toMatch(/^sk_live_/);
    expect(api.liveApp.publishableKey).toMatch(/^pk_live_/);
    const keys = await api.database.apiKey.findMany();
    expect(JSON.stringify(keys)).not.toContain(api.merchantA.secretKey.slice(14));
  });

  test('records when a key was last used', async () => {
    const scope = { merchantId: api.merchantA.merchantId, appId: api.merchantA.appId };
    const { key, secret } = await createApiKey(api.world, { scope, kind: 'SECRET' });
    expect(key.lastUsedAt).toBeNull();
    await api.graphql(VIEWER, {}, { key: secret });
    await expect
      .poll(async () => (await api.database.apiKey.findUnique({ where: { id: key.id } }))?.lastUsedAt)
      .not.toBeNull();
  });

  test('records the next use of a key after a failed write', async () => {
    const { database, world, merchantA } = api;
    const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
    const { key } = await createApiKey(world, { scope, kind: 'SECRET' });
    await database.$executeRaw`ALTER TABLE api_key RENAME COLUMN last_used_at TO last_used_elsewhere`;
    noteKeyUse(world, key.id);
    await delay(200);
    await database.$executeRaw`ALTER TABLE api_key RENAME COLUMN last_used_elsewhere TO last_used_at`;
    const lastUse = async () => {
      noteKeyUse(world, key.id);
      return (await database.apiKey.findUnique({ where: { id: key.id } }))?.lastUsedAt;
    };
    await expect.poll(lastUse, { timeout: 10_000 }).not.toBeNull();
  });
});

describe('createApiKey', () => {
  const CREATE = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }`;

  test('creates one key for repeated calls, and stores no readable secret', async () => {
    const { merchantA, database } = api;
    const as = { key: merchantA.secretKey, headers: { 'idempotency-key': 'a key for the till' } };
    const input = { kind: 'SECRET', name: 'Till' };
    const calls = await Promise.all([1, 2, 3].map(() => api.graphql(CREATE, { input }, as)));
    const [made, ...again] = calls.map(({ data }) => data.createApiKey);
    expect(again).toEqual([made, made]);
    expect(await database.apiKey.count({ where: { name: 'Till' } })).toBe(1);
    expect((await api.graphql(VIEWER, {}, { key: made.secret })).data.viewer.kind).toBe('secretKey');
    expect(await storedAnswers()).not.toContain(made.secret.slice(14));
    const other = await api.graphql(CREATE, { input: { ...input, kind: 'PUBLISHABLE' } }, as);
    expect(other.errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_MISMATCH');
  });
});

async function storedAnswers(): Promise<string> {
  const records = await api.database.idempotencyRecord.findMany();
  expect(records).not.toEqual([]);
  return JSON.stringify(records);
}

describe('rotation', () => {
  const ROTATE = `mutation ($id: ID!, $input: RotateApiKeyInput) {
    rotateApiKey(id: $id, input: $input) { secret apiKey { id kind name } } }`;

  test('accepts both keys during the overlap, then only the new one', async () => {
    const scope = { merchantId: api.merchantB.merchantId, appId: api.merchantB.appId };
    const old = await createApiKey(api.world, { scope, kind: 'SECRET', name: 'shop' });
    const { data } = await api.graphql(
      ROTATE,
      { id: old.key.id, input: { overlapSeconds: 600 } },
      { key: api.merchantB.secretKey },
    );
    expect(data.rotateApiKey.apiKey).toMatchObject({ kind: 'SECRET', name: 'shop' });
    const successor = data.rotateApiKey.secret;
    expect((await api.graphql(VIEWER, {}, { key: old.secret })).status).toBe(200);
    expect((await api.graphql(VIEWER, {}, { key: successor })).status).toBe(200);
    api.clock.advance(601);
    expect((await api.graphql(VIEWER, {}, { key: old.secret })).status).toBe(401);
    expect((await api.graphql(VIEWER, {}, { key: successor })).status).toBe(200);
    const again = await api.graphql(ROTATE, { id: old.key.id }, { key: successor });
    expect(again.errors?.[0]?.extensions.code).toBe('INVALID_STATE');
  });

  test('returns the same successor to a repeated call, even after the old key has expired', async () => {
    const { merchantA, clock } = api;
    const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
    const { key } = await createApiKey(api.world, { scope, kind: 'SECRET', name: 'Rotated' });
    const as = { key: merchantA.secretKey, headers: { 'idempotency-key': 'rotated once' } };
    const rotate = (overlapSeconds: number) => api.graphql(ROTATE, { id: key.id, input: { overlapSeconds } }, as);
    const made = (await rotate(60)).data.rotateApiKey;
    clock.advance(61);
    expect((await rotate(60)).data.rotateApiKey).toEqual(made);
    expect(await api.database.apiKey.count({ where: { name: 'Rotated' } })).toBe(2);
    expect(await storedAnswers()).not.toContain(made.secret.slice(14));
    expect((await rotate(61)).errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_MISMATCH');
  });

  test('makes one successor in concurrent rotations, and applies the shorter overlap', async () => {
    const { merchantA, database } = api;
    const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
    const rotate = (id: string, overlapSeconds: number) =>
      api.graphql(ROTATE, { id, input: { overlapSeconds } }, { key: merchantA.secretKey });
    for (let round = 0; round < 5; round++) {
      const name = `Twice at once ${round}`;
      const { key } = await createApiKey(api.world, { scope, kind: 'SECRET', name });
      const answers = await Promise.all([rotate(key.id, 0), rotate(key.id, 0)]);
      const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code);
      expect(codes.filter((code) => code !== undefined)).toEqual(['INVALID_STATE']);
      expect(await database.apiKey.count({ where: { name } })).toBe(2);
      const leaked = await createApiKey(api.world, { scope, kind: 'SECRET' });
      await Promise.all([rotate(leaked.key.id, 600), rotate(leaked.key.id, 0)]);
      expect((await api.graphql(VIEWER, {}, { key: leaked.secret })).status).toBe(401);
    }
  });

  test('returns errors for invalid, unauthenticated and forbidden calls and for an unknown key', async () => {
    const { key } = await createApiKey(api.world, {
      scope: { merchantId: api.merchantA.merchantId, appId: api.merchantA.appId },
      kind: 'SECRET',
    });
    const codes = await Promise.all(
      [
        api.graphql(ROTATE, { id: key.id, input: { overlapSeconds: 604_801 } }, { key: api.merchantA.secretKey }),
        api.graphql(ROTATE, { id: key.id }),
        api.graphql(ROTATE, { id: key.id }, { key: api.merchantA.publishableKey }),
        api.graphql(ROTATE, { id: key.id }, { key: api.merchantB.secretKey }),
      ].map(async (call) => (await call).errors?.[0]?.extensions.code),
    );
    expect(codes).toEqual(['VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR', 'NOT_FOUND']);
  });
});

describe('updateApp', () => {
  const UPDATE = `mutation ($id: ID, $input: UpdateAppInput!) { updateApp(id: $id, input: $input) {
    name timelockDuration disputeStartDuration captureMode intentExpiry payoutAddresses { family address } } }`;

  test('changes the given fields and leaves the others', async () => {
    const { data } = await api.graphql(
      UPDATE,
      {
        input: {
          timelockDuration: 5,
          disputeStartDuration: 5,
          payoutAddresses: [{ family: 'EVM', address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906' }],
        },
      },
      { key: api.merchantB.secretKey },
    );
    expect(data.updateApp).toEqual({
      name: 'Beta',
      timelockDuration: 5,
      disputeStartDuration: 5,
      captureMode: 'AUTOMATIC',
      intentExpiry: 3600,
      payoutAddresses: [{ family: 'EVM', address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906' }],
    });
    const made = await api.graphql(
      'mutation { createPaymentIntent(input: { amount: "1" }) { timelockDuration } }',
      {},
      { key: api.merchantB.secretKey },
    );
    expect(made.data.createPaymentIntent.timelockDuration).toBe(5);
  });

  test('names every invalid field', async () => {
    const { errors } = await api.graphql(
      UPDATE,
      {
        input: {
          name: '',
          timelockDuration: 180 * 86_400 + 1,
          intentExpiry: 59,
          captureMode: null,
          payoutAddresses: [{ family: 'EVM', address: '0x90F79bf6EB2c4f870365E785982E1f101E93B906' }],
          platformFeeBps: 0,
        },
      },
      { key: api.merchantA.secretKey },
    );
    expect(errors?.[0]?.extensions.details?.map(({ param }) => param).sort()).toEqual([
      'captureMode',
      'intentExpiry',
      'name',
      'payoutAddresses[0].address',
      'platformFeeBps',
      'timelockDuration',
    ]);
  });

  test('rejects a dispute window longer than the timelock', async () => {
    const { errors } = await api.graphql(UPDATE, { input: { timelockDuration: 10 } }, { key: api.merchantA.secretKey });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'disputeStartDuration' });
  });

  test('forbids access to another merchant’s app', async () => {
    const { errors } = await api.graphql(
      UPDATE,
      { id: api.merchantA.appId, input: { name: 'mine' } },
      { key: api.merchantB.secretKey },
    );
    expect(errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
  });
});
