import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
let appId: string;
let foreign: string;
let count = 0;
beforeAll(async () => {
  api = await openRestApi();
  ({ secretKey: key, appId } = api.merchantA);
  foreign = api.merchantB.secretKey;
});

const coffee = () => {
  count += 1;
  return { appId, name: 'Coffee', slug: `coffee-${count}` };
};
const post = (body: object, caller = key) => api.rest('POST', '/payment-links', { key: caller, body });
const make = async (fields: object = {}) => (await post({ ...coffee(), amount: '4.20', ...fields })).body.data;
const start = (slug: string, body?: object, headers?: Record<string, string>) =>
  api.rest('POST', `/payment-links/${slug}/checkout`, { ...(body ? { body } : {}), ...(headers ? { headers } : {}) });

describe('POST /payment-links', () => {
  it('creates a link and returns its URL for payers', async () => {
    const body = { ...coffee(), amount: '4.2', allowedChains: [31337, 103], metadata: { table: 7 } };
    const answer = await post(body);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      ...body,
      amount: '4.20',
      currency: 'USD',
      allowedTokens: 'ALL',
      isActive: true,
      usageCount: 0,
      requireBillingDetails: false,
      app: { name: 'Alpha' },
      productPlan: null,
      productPlanPrice: null,
      taxRate: null,
    });
    expect(answer.body.data.paymentUrl).toBe(`${api.world.config.publicUrl}/link/${body.slug}`);
    expect(Object.keys(answer.body.data.app)).toEqual(['name']);
  });

  it('names every invalid field at once', async () => {
    const answer = await post({
      appId,
      name: '',
      slug: 'No Spaces',
      amount: '-1',
      currency: 'GBP',
      allowedChains: [1, 99],
      successUrl: 'ftp://x',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { param: string }) => fault.param).sort()).toEqual([
      'allowedChains[0]',
      'allowedChains[1]',
      'amount',
      'currency',
      'name',
      'slug',
      'successUrl',
    ]);
  });

  it('accepts a slug of lowercase letters, digits and hyphens in any order', async () => {
    for (const slug of ['a--b', '-start', 'end-', '2026', '-', 'x'.repeat(100)]) {
      const { status, body } = await post({ appId, name: 'Coffee', slug });
      expect([status, body.data?.slug], slug).toEqual([200, slug]);
      expect((await start(slug, { amount: '1' })).status, slug).toBe(200);
    }
    for (const slug of ['', 'Upper', 'a_b', 'a b', 'é', 'a/b', 'a\n', 'x'.repeat(101)]) {
      const { status, body } = await post({ appId, name: 'Coffee', slug });
      expect([status, body.error?.details[0].param], slug).toEqual([400, 'slug']);
    }
  });

  it('refuses a slug that is taken, even by another merchant, and an amount together with a price', async () => {
    const { slug } = await make();
    const taken = await post({ appId: api.merchantB.appId, name: 'Mine', slug }, foreign);
    expect([taken.status, taken.body.error.code, taken.body.error.param]).toEqual([409, 'CONFLICT', 'slug']);
    const plan = await api.rest('POST', '/product-plans', { key, body: { name: 'P', prices: [{ amount: '5' }] } });
    const priced = { productPlanId: plan.body.data.id, productPlanPriceId: plan.body.data.prices[0].id };
    expect((await post({ ...coffee(), amount: '1', ...priced })).body.error.param).toBe('amount');
    expect((await post({ ...coffee(), ...priced })).body.data).toMatchObject({
      productPlan: { name: 'P', planType: 'ONE_TIME' },
      productPlanPrice: { amount: '5.00' },
    });
    expect((await post({ ...coffee(), appId: api.merchantB.appId, ...priced }, foreign)).status).toBe(404);
  });

  it('requires a secret key of the app', async () => {
    expect((await api.rest('POST', '/payment-links', { body: coffee() })).status).toBe(401);
    expect((await post(coffee(), api.merchantA.publishableKey)).status).toBe(403);
    expect((await post({ ...coffee(), appId: api.merchantB.appId })).status).toBe(403);
  });
});

describe('a payment link', () => {
  it('returns more fields when it is retrieved', async () => {
    const link = await make();
    const { body } = await api.rest('GET', `/payment-links/${link.id}`, { key });
    expect(body.data.app).toEqual({ name: 'Alpha', merchantId: api.merchantA.merchantId });
  });

  it('is listed by whether it is active', async () => {
    const [on, off] = [await make(), await make()];
    await api.rest('PUT', `/payment-links/${off.id}`, { key, body: { isActive: false } });
    const ids = async (query: string) =>
      (await api.rest('GET', `/payment-links?${query}`, { key })).body.data.map((row: { id: string }) => row.id);
    expect(await ids('isActive=true&pageSize=1')).toEqual([on.id]);
    expect(await ids('isActive=false&pageSize=1')).toEqual([off.id]);
    expect((await api.rest('GET', '/payment-links?isActive=yes', { key })).status).toBe(400);
  });

  it('keeps fields that an update omits, and clears fields that are null', async () => {
    const link = await make({ description: 'Hot', allowedChains: [31337] });
    const { body } = await api.rest('PUT', `/payment-links/${link.id}`, {
      key,
      body: { amount: null, allowedChains: null },
    });
    expect(body.data).toMatchObject({ amount: null, allowedChains: 'ALL', description: 'Hot', slug: link.slug });
    const other = await make();
    expect((await api.rest('PUT', `/payment-links/${link.id}`, { key, body: { slug: other.slug } })).status).toBe(409);
  });

  it('accepts the fields of its creation in an update, and cannot change its app', async () => {
    const link = await make();
    const put = (body: object) => api.rest('PUT', `/payment-links/${link.id}`, { key, body });
    const { status, body } = await put({ ...coffee(), slug: link.slug, name: 'Tea', amount: '5', isActive: false });
    expect([status, body.data]).toMatchObject([
      200,
      { id: link.id, appId, name: 'Tea', amount: '5.00', isActive: false },
    ]);
    expect(await put({ appId: api.merchantB.appId })).toMatchObject({ status: 403 });
    expect(await put({ appId: api.liveApp.appId })).toMatchObject({ status: 403 });
    expect((await put({ appId: null })).body.error).toMatchObject({ code: 'VALIDATION_ERROR', param: 'appId' });
  });

  it('cannot be updated to chains and tokens that do not match', async () => {
    const link = await make({ allowedChains: [31337] });
    const put = (body: object) => api.rest('PUT', `/payment-links/${link.id}`, { key, body });
    for (const body of [{ allowedTokens: ['USDC-31338'] }, { allowedTokens: ['USDC-31337'], allowedChains: [31338] }]) {
      const { status, body: answer } = await put(body);
      expect([status, answer.error.param]).toEqual([400, 'allowedTokens']);
    }
    expect((await put({ allowedTokens: ['USDC-31337'] })).status).toBe(200);
    expect((await put({ allowedChains: [31338] })).body.error.param).toBe('allowedTokens');
    expect((await put({ allowedChains: null, allowedTokens: null })).body.data).toMatchObject({
      allowedChains: 'ALL',
      allowedTokens: 'ALL',
    });
  });

  it('is deleted permanently', async () => {
    const link = await make();
    expect((await api.rest('DELETE', `/payment-links/${link.id}`, { key: foreign })).status).toBe(404);
    expect((await api.rest('DELETE', `/payment-links/${link.id}`, { key })).status).toBe(204);
    expect((await api.rest('GET', `/payment-links/${link.id}`, { key })).status).toBe(404);
    expect((await start(link.slug, {})).status).toBe(404);
  });

  it('returns 404 to another merchant', async () => {
    const link = await make();
    expect((await api.rest('GET', `/payment-links/${link.id}`, { key: foreign })).status).toBe(404);
    expect((await api.rest('PUT', `/payment-links/${link.id}`, { key: foreign, body: { name: 'Mine' } })).status).toBe(
      404,
    );
  });
});

describe('POST /payment-links/:slug/checkout', () => {
  it('does not reserve an idempotency key of the merchant', async () => {
    const headers = { 'idempotency-key': 'order-1002' };
    const link = await make();
    expect((await start(link.slug, {}, headers)).status).toBe(200);
    const made = await api.rest('POST', '/payments/intents', { key, headers, body: { amount: '10' } });
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await start(link.slug, {}, headers)).headers.get('idempotent-replayed')).toBe('true');
  });

  it('starts a session with tax without a credential', async () => {
    const rate = await api.rest('POST', '/tax-rates', { key, body: { displayName: 'VAT', percentage: 10 } });
    const link = await make({ amount: '10', taxRateId: rate.body.data.id, successUrl: 'https://shop.example/ok' });
    const { status, body } = await start(link.slug);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: 'OPEN',
      amount: '11.00',
      subtotal: '10.00',
      taxAmount: '1.00',
      sourceType: 'PAYMENT_LINK',
      sourceId: link.id,
      successUrl: 'https://shop.example/ok',
      items: [{ name: 'Coffee', amount: '10.00', taxAmount: '1.00' }],
    });
    expect(body.data.url).toBe(`${api.world.config.publicUrl}/checkout/${body.data.id}#${body.data.clientSecret}`);
    const intent = await api.rest('GET', `/payments/intents/${body.data.paymentIntentId}`, { key });
    expect(intent.body.data).toMatchObject({ amount: '11.00', sourceType: 'PAYMENT_LINK', sourceId: link.id });
  });

  it('accepts an amount from the payer only if the link has none', async () => {
    const open = await make({ amount: null });
    expect((await start(open.slug)).body.error.param).toBe('amount');
    expect((await start(open.slug, { amount: '7.50', currency: 'EUR' })).body.data).toMatchObject({
      amount: '7.50',
      currency: 'EUR',
    });
    const fixed = await make();
    expect((await start(fixed.slug, { amount: '0.01' })).body.error.param).toBe('amount');
    expect((await start(fixed.slug, { currency: 'EUR' })).body.error.param).toBe('currency');
  });

  it('requires billing details if the link does, and creates the customer', async () => {
    const link = await make({ requireBillingDetails: true });
    const missing = await start(link.slug, { billingDetails: { email: 'ada@example.com' } });
    expect(missing.body.error.details.map((fault: { param: string }) => fault.param)).toEqual(
      ['name', 'address', 'city', 'country', 'postalCode'].map((field) => `billingDetails.${field}`),
    );
    const billingDetails = {
      email: 'ada@example.com',
      name: 'Ada',
      address: '1 Row',
      city: 'London',
      country: 'GB',
      postalCode: 'N1',
    };
    const { body } = await start(link.slug, { billingDetails });
    const customer = await api.rest('GET', `/customers/${body.data.customerAccountId}`, { key });
    expect(customer.body.data).toMatchObject(billingDetails);
  });

  it('is refused for an inactive link, and returns 404 for an unknown one', async () => {
    const link = await make();
    await api.rest('PUT', `/payment-links/${link.id}`, { key, body: { isActive: false } });
    expect((await start(link.slug)).body.error.code).toBe('INVALID_STATE');
    expect((await start('no-such-link')).status).toBe(404);
  });

  it('starts one session for an idempotency key, with the same client secret', async () => {
    const link = await make();
    const [first, second] = [
      await start(link.slug, {}, { 'idempotency-key': 'p1' }),
      await start(link.slug, {}, { 'idempotency-key': 'p1' }),
    ];
    expect(second.body).toEqual(first.body);
    expect(JSON.stringify(await api.database.idempotencyRecord.findMany())).not.toContain(first.body.data.clientSecret);
  });

  it('is also available to the merchant as POST /checkout-sessions', async () => {
    const link = await make();
    const body = { paymentLinkId: link.id, expiresInMinutes: 5 };
    expect((await api.rest('POST', '/checkout-sessions', { key, body })).body.data).toMatchObject({
      amount: '4.20',
      sourceId: link.id,
    });
    expect((await api.rest('POST', '/checkout-sessions', { key: foreign, body })).status).toBe(404);
  });
});
