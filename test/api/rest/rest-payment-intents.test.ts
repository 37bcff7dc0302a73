/** The REST API of payment intents, with one test for each outcome. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const { merchantA, merchantB, liveApp } = api;
const document = new URL('../../../schema/openapi/payments.json', import.meta.url);
const { components } = JSON.parse(readFileSync(document, 'utf8')) as {
  components: { schemas: { PaymentIntent: { properties: Record<string, unknown> } } };
};
const described = Object.keys(components.schemas.PaymentIntent.properties).sort();
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

function create(body: unknown, call: { key?: string; headers?: Record<string, string> } = {}) {
  return api.rest('POST', '/payments/intents', { key: merchantA.secretKey, body, ...call });
}

describe('POST /payments/intents', () => {
  test('creates an intent with every documented field', async () => {
    const { status, body, headers } = await create({
      amount: '10',
      externalId: 'order-1',
      captureMode: 'MANUAL',
      successUrl: 'https://shop.example/ok',
      metadata: { a: 1, nested: { b: [true, null] } },
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({
      success: true,
      data: {
        appId: merchantA.appId,
        amount: '10.00',
        currency: 'USD',
        allowedChains: 'ALL',
        allowedTokens: 'ALL',
        captureMode: 'MANUAL',
        status: 'CREATED',
        externalId: 'order-1',
        customerAccountId: null,
        sourceType: null,
        idempotencyKey: null,
        metadata: { a: 1, nested: { b: [true, null] } },
        platformFeeBps: 100,
        timelockDuration: 604_800,
        settlementWaitsUntil: null,
        undelivered: [],
      },
    });
    expect(Object.keys(body.data).sort()).toEqual(described);
    const events = await api.database.event.findMany({ where: { resourceId: body.data.id } });
    expect(events.map((event) => event.type)).toEqual(['payment_intent.created']);
  });

  test('returns every invalid field at once and writes nothing', async () => {
    const before = await api.database.paymentIntent.count();
    const { status, body } = await create({
      amount: '-1',
      currency: 'XYZ',
      externalId: 'x'.repeat(256),
      captureMode: 'LATER',
      successUrl: 'ftp://shop.example',
      customerAccountId: 'seven',
      metadata: [],
      colour: 'red',
    });
    expect(status).toBe(400);
    expect(body.error.code).toBe('VALIDATION_ERROR');
    const named = body.error.details.map((fault: { param: string }) => fault.param).sort();
    const all = [
      'amount',
      'captureMode',
      'colour',
      'currency',
      'customerAccountId',
      'externalId',
      'metadata',
      'successUrl',
    ];
    expect(named).toEqual(all);
    expect(await api.database.paymentIntent.count()).toBe(before);
  });

  test('accepts values at their limits and refuses values beyond them', async () => {
    const good = [
      { externalId: 'x'.repeat(255) },
      { amount: '999999999999.99' },
      { metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i])) },
      { currency: 'EUR' },
    ];
    for (const fields of good) expect((await create({ amount: '1', ...fields })).status).toBe(200);
    const bad = [
      { externalId: 'x'.repeat(256) },
      { amount: '1000000000000' },
      { amount: '1.001' },
      { amount: '0' },
      { amount: '0.00' },
      { amount: 1 },
      { amount: '1e3' },
      { amount: ' 1' },
      { amount: null },
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) },
      { metadata: { a: 'x'.repeat(16 * 1024) } },
      { idempotencyKey: 'x'.repeat(256) },
      { allowedChains: [999_999_999] },
      { allowedTokens: ['NOPE-1'] },
      { allowedChains: [] },
    ];
    for (const fields of bad) {
      const { status, body } = await create({ amount: '1', ...fields });
      expect(
        [status, body.error?.code, body.error?.param?.replace(/\[0\]$/, '')],
        JSON.stringify(fields).slice(0, 100),
      ).toEqual([400, 'VALIDATION_ERROR', Object.keys(fields)[0]]);
    }
  });

  test('names each required field if there is no body', async () => {
    const { status, body } = await api.rest('POST', '/payments/intents', { key: merchantA.secretKey });
    expect([status, body.error.param, body.error.details]).toEqual([
      400,
      'amount',
      [{ param: 'amount', message: 'is required' }],
    ]);
  });

  test('checks authentication and authorization before the body', async () => {
    const body = '{ not json';
    expect((await api.rest('POST', '/payments/intents', { body })).status).toBe(401);
    expect((await api.rest('POST', '/payments/intents', { body, key: 'sk_test_wrong' })).status).toBe(401);
    expect((await api.rest('POST', '/payments/intents', { body, key: merchantA.publishableKey })).status).toBe(403);
    const bearer = await api.rest('POST', '/payments/intents', {
      body: { amount: '1' },
      headers: { authorization: 'Bearer x.y.z' },
    });
    expect(bearer.status).toBe(401);
    expect(bearer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test("returns 404 for another merchant's customer, and names the field", async () => {
    const customer = await api.database.customerAccount.create({
      data: { id: crypto.randomUUID(), appId: merchantB.appId },
    });
    for (const customerAccountId of [customer.id, UNKNOWN]) {
      const { status, body } = await create({ amount: '1', customerAccountId });
      expect([status, body.error.code, body.error.param]).toEqual([404, 'NOT_FOUND', 'customerAccountId']);
    }
  });
});

describe('GET /payments/intents/:id', () => {
  test('returns the intent that was created', async () => {
    const made = await create({ amount: '12.50' });
    const got = await api.rest('GET', `/payments/intents/${made.body.data.id}`, { key: merchantA.secretKey });
    expect(got.status).toBe(200);
    expect(got.body.data).toMatchObject(made.body.data);
  });

  test('includes transactions, dispute and customer; the list includes transactions', async () => {
    const customer = await api.database.customerAccount.create({
      data: { id: crypto.randomUUID(), appId: merchantA.appId, email: 'ada@example.com' },
    });
    const { id } = (await create({ amount: '4', customerAccountId: customer.id })).body.data;
    const step = {
      paymentIntentId: id,
      chainId: 31337,
      type: 'AUTHORIZE',
      status: 'CONFIRMED',
      amount: '4000000',
    } as const;
    await api.database.transaction.create({
      data: { id: crypto.randomUUID(), blockNumber: 7n, txHash: `0x${'1'.repeat(64)}`, ...step },
    });
    await api.database.dispute.create({
      data: {
        id: crypto.randomUUID(),
        paymentIntentId: id,
        reason: 'Late',
        deadline: new Date('2026-05-01T00:00:00Z'),
      },
    });
    const { body } = await api.rest('GET', `/payments/intents/${id}`, { key: merchantA.secretKey });
    expect(body.data.transactions).toMatchObject([
      { type: 'AUTHORIZE', status: 'CONFIRMED', amount: '4000000', chainId: 31337 },
    ]);
    expect(body.data.dispute).toMatchObject({ reason: 'Late', status: 'OPEN', deadline: '2026-05-01T00:00:00.000Z' });
    expect(body.data.customerAccount).toMatchObject({ id: customer.id, email: 'ada@example.com', wallets: [] });
    const list = await api.rest('GET', '/payments/intents?pageSize=1', { key: merchantA.secretKey });
    expect(list.body.data[0]).toMatchObject({ id, transactions: [{ type: 'AUTHORIZE' }] });
    expect(list.body.data[0]).not.toHaveProperty('dispute');
  });

  test('returns one error for foreign and missing IDs, and 400 for malformed ones', async () => {
    const made = await create({ amount: '1' });
    const answers = [];
    for (const [id, key] of [
      [made.body.data.id, merchantB.secretKey],
      [made.body.data.id, liveApp.secretKey],
      [UNKNOWN, merchantA.secretKey],
    ]) {
      const { status, body } = await api.rest('GET', `/payments/intents/${id}`, { key });
      answers.push(JSON.stringify([status, { ...body.error, requestId: '' }]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('"NOT_FOUND"');
    const malformed = await api.rest('GET', '/payments/intents/seven', { key: merchantA.secretKey });
    expect([malformed.status, malformed.body.error.param]).toEqual([400, 'id']);
    expect((await api.rest('GET', '/payments/intents/seven')).status).toBe(401);
    expect(
      (await api.rest('GET', `/payments/intents/${made.body.data.id}`, { key: merchantA.publishableKey })).status,
    ).toBe(403);
  });
});

describe('GET /payments/intents', () => {
  test('returns pages newest first, without gaps or duplicates', async () => {
    const { key } = { key: merchantB.secretKey };
    const ids = [];
    for (let i = 1; i <= 5; i++) ids.unshift((await create({ amount: `${i}` }, { key })).body.data.id);
    const first = await api.rest('GET', '/payments/intents?pageSize=2', { key });
    expect(first.body.pagination).toEqual({ total: 5, page: 1, pageSize: 2, totalPages: 3 });
    const third = await api.rest('GET', '/payments/intents?pageSize=2&page=3', { key });
    const second = await api.rest('GET', '/payments/intents?page=2&pageSize=2', { key });
    const pages = [first, second, third].flatMap((page) => page.body.data.map((intent: { id: string }) => intent.id));
    expect(pages).toEqual(ids);
    const past = await api.rest('GET', '/payments/intents?page=4&pageSize=2', { key });
    expect([past.status, past.body.data, past.body.pagination.total]).toEqual([200, [], 5]);
    const standard = await api.rest('GET', '/payments/intents', { key });
    expect(standard.body.pagination).toEqual({ total: 5, page: 1, pageSize: 20, totalPages: 1 });
    expect((await api.rest('GET', '/payments/intents?status=SETTLED', { key })).body.data).toEqual([]);
  });

  test('returns 400 for invalid parameters, and names each of them', async () => {
    for (const [query, param] of [
      ['page=0', 'page'],
      ['page=-1', 'page'],
      ['page=1.5', 'page'],
      ['page=', 'page'],
      ['page=99999999999', 'page'],
      ['pageSize=0', 'pageSize'],
      ['pageSize=101', 'pageSize'],
      ['pageSize=ten', 'pageSize'],
      ['status=PAID', 'status'],
      ['status=', 'status'],
      ['page=1&page=2', 'page'],
      ['appId=seven', 'appId'],
      ['colour=red', 'colour'],
      ['status=%00', 'status'],
    ] as const) {
      const { status, body } = await api.rest('GET', `/payments/intents?${query}`, { key: merchantA.secretKey });
      expect([status, body.error?.code, body.error?.param], query).toEqual([400, 'VALIDATION_ERROR', param]);
    }
    const several = await api.rest('GET', '/payments/intents?page=x&pageSize=y&status=z&q=1', {
      key: merchantA.secretKey,
    });
    expect(several.body.error.details).toHaveLength(4);
    expect((await api.rest('GET', '/payments/intents?pageSize=100', { key: merchantA.secretKey })).status).toBe(200);
  });

  test("returns 403 for another merchant's app, whether it exists or not", async () => {
    for (const appId of [merchantB.appId, UNKNOWN]) {
      const { status, body } = await api.rest('GET', `/payments/intents?appId=${appId}`, { key: merchantA.secretKey });
      expect([status, body.error.code, body.error.param]).toEqual([403, 'AUTHORIZATION_ERROR', 'appId']);
    }
  });
});

describe('a typed client generated from the document', () => {
  test('creates, reads and lists intents', async () => {
    const client = api.client(merchantA.secretKey);
    const made = await client.POST('/payments/intents', { body: { amount: '3.33', currency: 'EUR' } });
    const id = made.data?.data.id ?? '';
    const got = await client.GET('/payments/intents/{id}', { params: { path: { id } } });
    expect(got.data?.data.amount).toBe('3.33');
    const page = await client.GET('/payments/intents', { params: { query: { pageSize: 1, status: 'CREATED' } } });
    expect(page.data?.data[0]?.id).toBe(id);
    const failed = await client.GET('/payments/intents/{id}', { params: { path: { id: UNKNOWN } } });
    expect(failed.error).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});
