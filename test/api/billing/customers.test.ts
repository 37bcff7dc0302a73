import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
let appId: string;
let foreign: string;
beforeAll(async () => {
  api = await openRestApi();
  ({ secretKey: key, appId } = api.merchantA);
  foreign = api.merchantB.secretKey;
});

const ada = { email: 'ada@example.com', name: 'Ada' };
const make = async (fields: object = ada) =>
  (await api.rest('POST', '/customers', { key, body: { appId, ...fields } })).body.data;
const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

describe('POST /customers', () => {
  it('creates a customer with its wallets and appends an event', async () => {
    const { status, body } = await api.rest('POST', '/customers', {
      key,
      body: { appId, ...ada, metadata: { vip: true } },
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ appId, ...ada, city: null, metadata: { vip: true }, wallets: [] });
    const event = await api.database.event.findFirst({ where: { resourceId: body.data.id } });
    expect(event).toMatchObject({ type: 'customer.created', data: { email: ada.email } });
  });

  it('requires an appId of the caller, as documented', async () => {
    const missing = await api.rest('POST', '/customers', { key, body: ada });
    expect([missing.status, missing.body.error.param]).toEqual([400, 'appId']);
    for (const theirs of [api.merchantB.appId, '0190b0a0-0000-7000-8000-000000000000']) {
      const answer = await api.rest('POST', '/customers', { key, body: { appId: theirs, ...ada } });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    }
  });

  it('names every invalid field at once', async () => {
    const body = { appId, email: 'x', name: 'x'.repeat(256), postalCode: 'x'.repeat(51), metadata: [], city: 7 };
    const answer = await api.rest('POST', '/customers', { key, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { param: string }) => fault.param).sort()).toEqual([
      'city',
      'email',
      'metadata',
      'name',
      'postalCode',
    ]);
  });

  it('is refused without a credential and with a publishable key', async () => {
    const body = { appId, ...ada };
    expect((await api.rest('POST', '/customers', { body })).status).toBe(401);
    expect((await api.rest('POST', '/customers', { key: api.merchantA.publishableKey, body })).status).toBe(403);
  });

  it('creates one customer for fifty concurrent calls with one idempotency key', async () => {
    const headers = { 'idempotency-key': 'fifty' };
    const calls = Array.from({ length: 50 }, () =>
      api.rest('POST', '/customers', { key, headers, body: { appId, name: 'Fifty' } }),
    );
    const answers = await Promise.all(calls);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(await api.database.customerAccount.count({ where: { name: 'Fifty' } })).toBe(1);
  });
});

describe('GET /customers', () => {
  it('returns pages newest first, with counts', async () => {
    const older = await make({ name: 'Older' });
    const newer = await make({ name: 'Newer' });
    const { body } = await api.rest('GET', '/customers?pageSize=2', { key });
    expect(body.data.map((row: { id: string }) => row.id)).toEqual([newer.id, older.id]);
    expect(body.data[0]).toMatchObject({ wallets: [], _count: { paymentIntents: 0, subscriptions: 0, invoices: 0 } });
    expect(body.pagination).toMatchObject({ page: 1, pageSize: 2 });
    const past = await api.rest('GET', '/customers?page=9999', { key });
    expect(past.body.data).toEqual([]);
  });

  it('searches names and email addresses literally and case-insensitively', async () => {
    const one = await make({ name: 'Grace 100%_Hopper', email: 'grace@navy.example' });
    const found = async (text: string) =>
      (await api.rest('GET', `/customers?search=${encodeURIComponent(text)}`, { key })).body.data.map(
        (row: { id: string }) => row.id,
      );
    expect(await found('hOPPER')).toEqual([one.id]);
    expect(await found('NAVY.ex')).toEqual([one.id]);
    expect(await found('100%_h')).toEqual([one.id]);
    expect(await found('1__%')).toEqual([]);
    expect((await api.rest('GET', `/customers?search=${'x'.repeat(255)}`, { key })).status).toBe(200);
    expect((await api.rest('GET', `/customers?search=${'x'.repeat(256)}`, { key })).status).toBe(400);
  });

  it.each(['page=0', 'pageSize=0', 'pageSize=101', 'page=1.5', 'page=x', 'appId=x', 'sort=name'])(
    'refuses %s',
    async (query) => {
      expect((await api.rest('GET', `/customers?${query}`, { key })).status).toBe(400);
    },
  );

  it('returns 403 for another merchant’s app', async () => {
    expect((await api.rest('GET', `/customers?appId=${api.merchantB.appId}`, { key })).status).toBe(403);
  });
});

describe('a customer', () => {
  it('includes its app, its wallets with their chains, and its newest intents and invoices', async () => {
    const customer = await make();
    await api.rest('POST', `/customers/${customer.id}/wallets`, { key, body: { chainId: 1, walletAddress: address } });
    const intent = { amount: '10', customerAccountId: customer.id };
    await api.rest('POST', '/payments/intents', { key, body: intent });
    const items = [{ description: 'Tea', amount: '3' }];
    await api.rest('POST', '/invoices', { key, body: { customerAccountId: customer.id, items } });
    const { body } = await api.rest('GET', `/customers/${customer.id}`, { key });
    expect(body.data).toMatchObject({
      app: { id: appId, merchantId: api.merchantA.merchantId },
      wallets: [{ walletAddress: address, chain: { chainId: 1, family: 'EVM', testnet: false } }],
      paymentIntents: [{ amount: '10.00', status: 'CREATED' }],
      invoices: [{ status: 'DRAFT', total: '3.00', invoiceNumber: null }],
    });
    expect(Object.keys(body.data.paymentIntents[0]).sort()).toEqual([
      'amount',
      'createdAt',
      'cryptoAmount',
      'cryptoTokenKey',
      'currency',
      'id',
      'status',
    ]);
    const listed = await api.rest('GET', `/customers?search=${ada.email}&pageSize=1`, { key });
    expect(listed.body.data[0]._count).toEqual({ paymentIntents: 1, subscriptions: 0, invoices: 1 });
  });

  it('keeps fields that an update omits, and clears fields that are null', async () => {
    const customer = await make({ ...ada, city: 'London', metadata: { a: 1 } });
    const answer = await api.rest('PUT', `/customers/${customer.id}`, { key, body: { city: null, name: 'Ada L.' } });
    expect(answer.body.data).toMatchObject({ city: null, name: 'Ada L.', email: ada.email, metadata: { a: 1 } });
    const cleared = await api.rest('PUT', `/customers/${customer.id}`, { key, body: { metadata: null } });
    expect(cleared.body.data.metadata).toEqual({});
    const types = await api.database.event.findMany({
      where: { resourceId: customer.id },
      orderBy: { sequence: 'asc' },
    });
    expect(types.map((event) => event.type)).toEqual(['customer.created', 'customer.updated', 'customer.updated']);
  });

  it('accepts the fields of its creation in an update, and cannot change its app', async () => {
    const customer = await make();
    const put = (body: object) => api.rest('PUT', `/customers/${customer.id}`, { key, body });
    expect((await put({ appId, ...ada, city: 'London' })).body.data).toMatchObject({ appId, ...ada, city: 'London' });
    for (const other of [api.merchantB.appId, api.liveApp.appId]) {
      const { status, body } = await put({ appId: other, city: 'Paris' });
      expect([status, body.error.code, body.error.param]).toEqual([403, 'AUTHORIZATION_ERROR', 'appId']);
    }
    expect((await put({})).body.data.city).toBe('London');
  });

  it.each(['GET', 'PUT'])('returns 404 for %s if it belongs to another merchant', async (method) => {
    const customer = await make();
    const body = method === 'PUT' ? { name: 'Mallory' } : undefined;
    const theirs = await api.rest(method, `/customers/${customer.id}`, { key: foreign, body });
    expect([theirs.status, theirs.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(await api.database.customerAccount.findUnique({ where: { id: customer.id } })).toMatchObject({
      name: 'Ada',
    });
  });
});

describe("a customer's wallets", () => {
  const add = (id: string, body: object, caller = key) =>
    api.rest('POST', `/customers/${id}/wallets`, { key: caller, body });

  it.each([
    ['with its checksum', address],
    ['in lower case', address.toLowerCase()],
    ['in upper case', `0x${address.slice(2).toUpperCase()}`],
    ['in a case that is no checksum', address.replace('dA', 'Da')],
  ])('are linked %s, and are returned with checksums and their chain', async (_case, walletAddress) => {
    const customer = await make();
    const { status, body } = await add(customer.id, { chainId: 1, walletAddress });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      walletAddress: address,
      hasActiveAuthorization: false,
      chain: { name: expect.any(String) },
    });
    const twice = await add(customer.id, { chainId: 1, walletAddress: address });
    expect([twice.status, twice.body.error.code]).toEqual([409, 'CONFLICT']);
    const document = 'query ($search: String) { customers(search: $search, first: 50) { edges { node { id } } } }';
    const found = await api.graphql(document, { search: walletAddress }, { key });
    expect(found.data.customers.edges.map((edge: { node: { id: string } }) => edge.node.id)).toContain(customer.id);
  });

  it('require a secret key', async () => {
    const customer = await make();
    const path = `/customers/${customer.id}/wallets`;
    const body = { chainId: 1, walletAddress: address };
    expect((await api.rest('POST', path, { body })).status).toBe(401);
    expect((await api.rest('POST', path, { key: api.merchantA.publishableKey, body })).status).toBe(403);
  });

  it('are unique by chain and address, regardless of case', async () => {
    const customer = await make();
    await add(customer.id, { chainId: 1, walletAddress: address });
    const twice = await add(customer.id, { chainId: 1, walletAddress: address.toLowerCase() });
    expect([twice.status, twice.body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await add(customer.id, { chainId: 137, walletAddress: address })).status).toBe(200);
  });

  it.each([
    ['an unknown chain', { chainId: 999_999, walletAddress: address }, ['chainId']],
    ['a Solana chain', { chainId: 103, walletAddress: address }, ['chainId']],
    ['39 digits', { chainId: 1, walletAddress: address.slice(0, -1) }, ['walletAddress']],
    ['an address without 0x', { chainId: 1, walletAddress: address.slice(2) }, ['walletAddress']],
    ['an address after 0X', { chainId: 1, walletAddress: `0X${address.slice(2)}` }, ['walletAddress']],
    ['both bad', { chainId: 0, walletAddress: '0x12' }, ['chainId', 'walletAddress']],
    ['nothing', {}, ['chainId', 'walletAddress']],
  ])('refuse %s', async (_what, body, params) => {
    const customer = await make();
    const answer = await add(customer.id, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { param: string }) => fault.param).sort()).toEqual(params);
  });

  it('are unlinked with 204 once', async () => {
    const customer = await make();
    const wallet = (await add(customer.id, { chainId: 1, walletAddress: address })).body.data;
    const path = `/customers/${customer.id}/wallets/${wallet.id}`;
    expect((await api.rest('DELETE', path, { key: foreign })).status).toBe(404);
    const removed = await api.rest('DELETE', path, { key });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect((await api.rest('DELETE', path, { key })).status).toBe(404);
  });

  it('of another merchant’s customer cannot be added or removed', async () => {
    const customer = await make();
    expect((await add(customer.id, { chainId: 1, walletAddress: address }, foreign)).status).toBe(404);
    const other = await make();
    const wallet = (await add(customer.id, { chainId: 1, walletAddress: address })).body.data;
    expect((await api.rest('DELETE', `/customers/${other.id}/wallets/${wallet.id}`, { key })).status).toBe(404);
  });
});
