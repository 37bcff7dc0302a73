import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApi, type TestApi } from '../../setup/api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const CREATE = `mutation ($input: CreatePaymentIntentInput!) {
  createPaymentIntent(input: $input) { id appId amount currency status captureMode allowedChains allowedTokens expiresAt
    timelockDuration disputeStartDuration platformFeeBps metadata idempotencyKey sourceType cryptoAmount createdAt }
}`;

describe('createPaymentIntent', () => {
  test('creates an intent with the app’s defaults for a secret key', async () => {
    const { status, data } = await api.graphql(CREATE, { input: { amount: '10' } }, { key: api.merchantA.secretKey });
    expect(status).toBe(200);
    expect(data.createPaymentIntent).toMatchObject({
      appId: api.merchantA.appId,
      amount: '10.00',
      currency: 'USD',
      status: 'CREATED',
      captureMode: 'AUTOMATIC',
      allowedChains: 'ALL',
      allowedTokens: 'ALL',
      timelockDuration: 604800,
      disputeStartDuration: 86400,
      platformFeeBps: 100,
      metadata: {},
      idempotencyKey: null,
      sourceType: null,
      cryptoAmount: null,
    });
    const { createdAt, expiresAt } = data.createPaymentIntent;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(3_600_000);
  });

  test('appends payment_intent.created', async () => {
    const { data } = await api.graphql(CREATE, { input: { amount: '10.50' } }, { key: api.merchantA.secretKey });
    const events = await api.database.event.findMany({ where: { resourceId: data.createPaymentIntent.id } });
    expect(events.map((event) => event.type)).toEqual(['payment_intent.created']);
    expect(events[0]?.data).toMatchObject({ amount: '10.50', status: 'CREATED' });
  });

  test('names every invalid field at once', async () => {
    const { status, errors } = await api.graphql(
      CREATE,
      {
        input: {
          amount: 'abc',
          externalId: 'x'.repeat(256),
          currency: 'GBP',
          successUrl: 'nope',
          customerAccountId: '7',
          captureMode: 'LATER',
          allowedChains: [999_999],
          allowedTokens: ['NOPE-1'],
          colour: 'red',
        },
      },
      { key: api.merchantA.secretKey },
    );
    expect(status).toBe(400);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
    expect(errors?.[0]?.extensions.details?.map((detail) => detail.param).sort()).toEqual([
      'allowedChains[0]',
      'allowedTokens[0]',
      'amount',
      'captureMode',
      'colour',
      'currency',
      'customerAccountId',
      'externalId',
      'successUrl',
    ]);
  });

  test.each([
    ['0', 'amount'],
    ['-1', 'amount'],
    ['1.001', 'amount'],
    ['1e3', 'amount'],
    ['1234567890123', 'amount'],
  ])('refuses an amount of %s', async (amount, param) => {
    const { errors } = await api.graphql(CREATE, { input: { amount } }, { key: api.merchantA.secretKey });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param, http: { status: 400 } });
  });

  test('accepts values at their limits and refuses values beyond them', async () => {
    const input = { amount: '999999999999.99', externalId: 'e'.repeat(255), idempotencyKey: 'i'.repeat(255) };
    const at = await api.graphql(CREATE, { input }, { key: api.merchantA.secretKey });
    expect(at.data.createPaymentIntent.amount).toBe('999999999999.99');
    const past = await api.graphql(
      CREATE,
      { input: { amount: '1', externalId: 'e'.repeat(256), idempotencyKey: 'i'.repeat(256) } },
      { key: api.merchantA.secretKey },
    );
    expect(past.errors?.[0]?.extensions.details?.map((detail) => detail.param)).toEqual([
      'externalId',
      'idempotencyKey',
    ]);
  });

  test('requires authentication before it validates the parameters', async () => {
    const { status, errors } = await api.graphql(CREATE, { input: { amount: 'abc' } });
    expect(status).toBe(401);
    expect(errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
  });

  test('refuses a wrong key', async () => {
    const { status, errors } = await api.graphql('{ viewer { kind } }', {}, { key: 'sk_test_nope' });
    expect(status).toBe(401);
    expect(errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
  });

  test('refuses a publishable key', async () => {
    const { status, errors } = await api.graphql(
      CREATE,
      { input: { amount: '1' } },
      { key: api.merchantA.publishableKey },
    );
    expect(status).toBe(403);
    expect(errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
  });

  test('returns NOT_FOUND for a customer of another app', async () => {
    const customer = await api.database.customerAccount.create({
      data: { id: crypto.randomUUID(), appId: api.merchantB.appId },
    });
    const { status, errors } = await api.graphql(
      CREATE,
      { input: { amount: '1', customerAccountId: customer.id } },
      { key: api.merchantA.secretKey },
    );
    expect(status).toBe(404);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND', param: 'customerAccountId' });
  });

  test('refuses payment on a main network for a test app', async () => {
    const { errors } = await api.graphql(
      CREATE,
      { input: { amount: '1', allowedChains: [1] } },
      { key: api.merchantA.secretKey },
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'allowedChains[0]' });
  });
});

describe('idempotency', () => {
  test('creates one intent and returns one response for fifty concurrent calls with the same key', async () => {
    const input = { amount: '5.00', idempotencyKey: 'order-50' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.graphql(CREATE, { input }, { key: api.merchantA.secretKey })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer.data))).size).toBe(1);
    expect(answers[0]?.data.createPaymentIntent.id).toBeTruthy();
    const { appId } = api.merchantA;
    expect(await api.database.paymentIntent.count({ where: { appId, idempotencyKey: 'order-50' } })).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(49);
  });

  test('accepts the key in the header', async () => {
    const call = () =>
      api.graphql(
        CREATE,
        { input: { amount: '5.00' } },
        { key: api.merchantA.secretKey, headers: { 'idempotency-key': 'by-header' } },
      );
    const [first, second] = [await call(), await call()];
    expect(second.data).toEqual(first.data);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('refuses the same key with other parameters', async () => {
    const input = { amount: '5.00', idempotencyKey: 'mismatch' };
    await api.graphql(CREATE, { input }, { key: api.merchantA.secretKey });
    const { status, errors } = await api.graphql(
      CREATE,
      { input: { ...input, amount: '6.00' } },
      { key: api.merchantA.secretKey },
    );
    expect(status).toBe(422);
    expect(errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_MISMATCH');
  });

  test('separates the keys of two apps', async () => {
    const input = { amount: '5.00', idempotencyKey: 'shared' };
    const one = await api.graphql(CREATE, { input }, { key: api.merchantA.secretKey });
    const two = await api.graphql(CREATE, { input }, { key: api.merchantB.secretKey });
    expect(one.data.createPaymentIntent.id).not.toBe(two.data.createPaymentIntent.id);
  });
});

describe('reading intents', () => {
  test('returns the same error for another merchant’s intent as for a missing one', async () => {
    const { data } = await api.graphql(CREATE, { input: { amount: '1' } }, { key: api.merchantA.secretKey });
    const document = 'query ($id: ID!) { paymentIntent(id: $id) { id } }';
    const read = (id: string) => api.graphql(document, { id }, { key: api.merchantB.secretKey });
    const foreign = await read(data.createPaymentIntent.id);
    const missing = await read(crypto.randomUUID());
    expect(foreign.status).toBe(404);
    expect(foreign.errors?.[0]?.message).toBe(missing.errors?.[0]?.message);
    expect(foreign.data).toEqual(missing.data);
  });

  test('names the argument of a malformed ID, given as a variable or as a literal', async () => {
    const key = api.merchantA.secretKey;
    const variable = await api.graphql('query ($id: ID!) { paymentIntent(id: $id) { id } }', { id: 'x' }, { key });
    const literal = await api.graphql('{ paymentIntent(id: "x") { id } }', {}, { key });
    for (const answer of [variable, literal]) {
      expect(answer.status).toBe(400);
      expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'id' });
    }
  });

  test('returns pages newest first, and an empty page beyond the end', async () => {
    const key = api.liveApp.secretKey;
    const ids: string[] = [];
    for (const amount of ['1', '2', '3']) {
      const { data } = await api.graphql(CREATE, { input: { amount } }, { key });
      ids.push(data.createPaymentIntent.id);
    }
    const document = `query ($page: Int!, $pageSize: Int!) {
      paymentIntentsPage(page: $page, pageSize: $pageSize) { items { id } page pageSize total totalPages } }`;
    const first = await api.graphql(document, { page: 1, pageSize: 2 }, { key });
    expect(first.data.paymentIntentsPage).toEqual({
      items: [{ id: ids[2] }, { id: ids[1] }],
      page: 1,
      pageSize: 2,
      total: 3,
      totalPages: 2,
    });
    const past = await api.graphql(document, { page: 2_000_000_000, pageSize: 100 }, { key });
    expect(past.data.paymentIntentsPage).toMatchObject({ items: [], total: 3 });
    for (const [variables, param] of [
      [{ page: 0, pageSize: 2 }, 'page'],
      [{ page: 1, pageSize: 0 }, 'pageSize'],
      [{ page: 1, pageSize: 101 }, 'pageSize'],
    ] as const) {
      const bad = await api.graphql(document, variables, { key });
      expect(bad.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param });
    }
  });

  test('forbids an appId of another merchant, whether it exists or not', async () => {
    const document = 'query ($appId: ID) { paymentIntentsPage(appId: $appId) { total } }';
    for (const appId of [api.merchantB.appId, crypto.randomUUID()]) {
      const { status, errors } = await api.graphql(document, { appId }, { key: api.merchantA.secretKey });
      expect(status).toBe(403);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'AUTHORIZATION_ERROR', param: 'appId' });
    }
  });

  test('pages through a connection by keyset in both directions, and counts only on request', async () => {
    const key = api.liveApp.secretKey;
    const document = `query ($first: Int, $after: String, $last: Int, $before: String) {
      paymentIntents(first: $first, after: $after, last: $last, before: $before) {
        nodes { amount } edges { cursor } totalCount pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } }`;
    const one = (await api.graphql(document, { first: 2 }, { key })).data.paymentIntents;
    expect(one.nodes.map((node: { amount: string }) => node.amount)).toEqual(['3.00', '2.00']);
    expect(one).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const two = (await api.graphql(document, { first: 2, after: one.pageInfo.endCursor }, { key })).data.paymentIntents;
    expect(two.nodes.map((node: { amount: string }) => node.amount)).toEqual(['1.00']);
    const back = await api.graphql(document, { last: 1, before: two.pageInfo.startCursor }, { key });
    expect(back.data.paymentIntents.nodes).toEqual([{ amount: '2.00' }]);
    const tooMany = await api.graphql(document, { first: 101 }, { key });
    expect(tooMany.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'first' });
    const badCursor = await api.graphql(document, { first: 1, after: 'nonsense' }, { key });
    expect(badCursor.errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });

  test('narrows the list by filters and sorts it', async () => {
    const key = api.liveApp.secretKey;
    const document = `query ($filter: PaymentIntentFilter, $orderBy: PaymentIntentOrder!) {
      paymentIntents(filter: $filter, orderBy: $orderBy) { nodes { amount } } }`;
    const amounts = async (filter: object, orderBy = 'NEWEST') => {
      const { data } = await api.graphql(document, { filter, orderBy }, { key });
      return data.paymentIntents.nodes.map((node: { amount: string }) => node.amount);
    };
    expect(await amounts({ amountFrom: '2' }, 'AMOUNT_LOWEST')).toEqual(['2.00', '3.00']);
    expect(await amounts({ status: ['CREATED'] }, 'OLDEST')).toEqual(['1.00', '2.00', '3.00']);
    expect(await amounts({ status: ['SETTLED'] })).toEqual([]);
    expect(await amounts({ createdTo: '2020-01-01T00:00:00Z' })).toEqual([]);
  });
});
