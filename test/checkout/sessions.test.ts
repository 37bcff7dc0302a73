/** Checkout sessions over REST, an outcome a test. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi, type RestCall } from '../setup/api/rest.ts';

let api: RestApi;
let key: string;
beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
});

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const tea = { name: 'Tea', amount: '10.00' };
const open = (body: object, call: RestCall = {}) => api.rest('POST', '/checkout-sessions', { key, body, ...call });
const openTea = async () => (await open({ items: [tea] })).body.data;
const intentOf = async (body: object = { amount: '7.50' }, by = key) =>
  (await api.rest('POST', '/payments/intents', { key: by, body })).body.data;
const params = (answer: { body: { error: { details?: { param: string }[] } } }) =>
  (answer.body.error.details ?? []).map((fault) => fault.param);
const eventsOf = async (resourceId: string) =>
  (await api.database.event.findMany({ where: { resourceId }, orderBy: { sequence: 'asc' } })).map(
    (event) => event.type,
  );

describe('POST /checkout-sessions with items', () => {
  it('opens a session and creates an intent for its total', async () => {
    const { status, body } = await open({
      items: [tea, { name: 'Cup', amount: '2.50', quantity: 2, description: 'Blue' }],
      successUrl: 'https://shop.example/ok',
      captureMode: 'MANUAL',
      metadata: { cart: 7 },
    });
    expect(status).toBe(200);
    const session = body.data;
    expect(session).toMatchObject({
      mode: 'PAYMENT',
      uiMode: 'HOSTED',
      status: 'OPEN',
      amount: '15.00',
      subtotal: '15.00',
      taxAmount: '0.00',
      currency: 'USD',
      sourceType: 'CHECKOUT',
      sourceId: session.id,
      completedAt: null,
      lastError: null,
      items: [
        { name: 'Tea', amount: '10.00', quantity: 1 },
        { name: 'Cup', amount: '2.50', quantity: 2, description: 'Blue' },
      ],
    });
    expect(session.url).toBe(`${api.world.config.publicUrl}/checkout/${session.id}#${session.clientSecret}`);
    const intent = (await api.rest('GET', `/payments/intents/${session.paymentIntentId}`, { key })).body.data;
    expect(intent).toMatchObject({
      amount: '15.00',
      status: 'CREATED',
      captureMode: 'MANUAL',
      sourceType: 'CHECKOUT',
      sourceId: session.id,
      expiresAt: session.expiresAt,
    });
    expect(await eventsOf(intent.id)).toEqual(['payment_intent.created']);
  });

  it('does not return the client secret again, and stores only its hash', async () => {
    const made = await openTea();
    const { body } = await api.rest('GET', `/checkout-sessions/${made.id}`, { key });
    expect(body.data.clientSecret).toBeUndefined();
    expect(body.data.url).toBe(`${api.world.config.publicUrl}/checkout/${made.id}`);
    const row = await api.database.checkoutSession.findUniqueOrThrow({ where: { id: made.id } });
    expect(JSON.stringify(row)).not.toContain(made.clientSecret);
    expect(row.clientSecretHash).toHaveLength(32);
  });

  it("adds tax by the session's rate, and by the plans' rates without one", async () => {
    const { body: rate } = await api.rest('POST', '/tax-rates', { key, body: { displayName: 'VAT', percentage: 20 } });
    const taxed = await open({ items: [{ ...tea, quantity: 3 }], taxRateId: rate.data.id });
    expect(taxed.body.data).toMatchObject({
      amount: '36.00',
      subtotal: '30.00',
      taxAmount: '6.00',
      items: [{ taxAmount: '6.00' }],
    });
    const plan = (
      await api.rest('POST', '/product-plans', {
        key,
        body: { name: 'Pot', taxRateId: rate.data.id, prices: [{ amount: '50.00', isDefault: true }] },
      })
    ).body.data;
    const item = { name: 'Pot', productPlanId: plan.id, productPlanPriceId: plan.prices[0].id };
    expect((await open({ items: [item] })).body.data).toMatchObject({ amount: '60.00', taxAmount: '10.00' });
    const both = await open({ items: [{ ...item, amount: '1.00' }] });
    expect([both.status, params(both)]).toEqual([400, ['items[0].amount']]);
  });

  it('rejects a request without exactly one purpose, and reports all invalid fields at once', async () => {
    for (const body of [{}, { items: [tea], paymentIntentId: UNKNOWN }]) {
      expect((await open(body)).status, JSON.stringify(body)).toBe(400);
    }
    const bad = await open({
      items: [{ name: '', amount: '-1', quantity: 0 }],
      expiresInMinutes: 1441,
      successUrl: 'ftp://x',
      colour: 'red',
    });
    expect(bad.status).toBe(400);
    expect(params(bad).sort()).toEqual([
      'colour',
      'expiresInMinutes',
      'items[0].amount',
      'items[0].name',
      'items[0].quantity',
      'successUrl',
    ]);
  });

  it('rejects items without an amount, in two currencies, or above the payable maximum', async () => {
    expect(params(await open({ items: [{ name: 'Tea' }] }))).toEqual(['items[0].amount']);
    const mixed = await open({ items: [tea, { ...tea, currency: 'EUR' }] });
    expect(params(mixed)).toEqual(['items[1].currency']);
    const huge = await open({ items: [{ name: 'Gold', amount: '999999999999.99', quantity: 2 }] });
    expect(params(huge)).toEqual(['items']);
  });

  it('rejects chains and tokens that are unknown or of the other mode', async () => {
    expect(params(await open({ items: [tea], allowedChains: [5] }))).toEqual(['allowedChains[0]']);
    expect(params(await open({ items: [tea], allowedTokens: ['NO-1'] }))).toEqual(['allowedTokens[0]']);
    const live = await open({ items: [tea], allowedChains: [31337] }, { key: api.liveApp.secretKey });
    expect(params(live)).toEqual(['allowedChains[0]']);
  });

  it("reports another merchant's customer, plan and tax rate as missing", async () => {
    const rate = await api.rest('POST', '/tax-rates', {
      key: api.merchantB.secretKey,
      body: { displayName: 'VAT', percentage: 20 },
    });
    for (const [field, body] of [
      ['customerAccountId', { customerAccountId: UNKNOWN }],
      ['taxRateId', { taxRateId: rate.body.data.id }],
      ['items[0].productPlanId', { items: [{ ...tea, productPlanId: UNKNOWN }] }],
    ] as const) {
      const { status, body: answer } = await open({ items: [tea], ...body });
      expect([status, answer.error.param]).toEqual([404, field]);
    }
  });

  it('needs a secret key', async () => {
    expect((await open({ items: [tea] }, { key: undefined })).status).toBe(401);
    expect((await open({ items: [tea] }, { key: api.merchantA.publishableKey })).status).toBe(403);
    const { clientSecret } = await openTea();
    expect((await open({ items: [tea] }, { key: undefined, clientSecret })).status).toBe(403);
    expect((await open({ items: [tea], appId: api.merchantB.appId })).status).toBe(403);
  });

  it('is created once per idempotency key; a replay has the same secret, another body is a mismatch', async () => {
    const headers = { 'idempotency-key': 'session-1' };
    const first = await open({ items: [tea] }, { headers });
    const again = await open({ items: [tea] }, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await open({ items: [{ ...tea, amount: '11.00' }] }, { headers })).status).toBe(422);
    const stored = await api.database.idempotencyRecord.findMany();
    expect(JSON.stringify(stored)).not.toContain(first.body.data.clientSecret);
  });
});

describe('POST /checkout-sessions with a paymentIntentId', () => {
  it('opens a session over the intent, which keeps its source', async () => {
    const intent = await intentOf();
    const { status, body } = await open({ paymentIntentId: intent.id });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      paymentIntentId: intent.id,
      amount: '7.50',
      sourceType: null,
      sourceId: null,
      items: [],
    });
  });

  it("reports another merchant's intent as missing, and rejects one that can no longer be paid", async () => {
    const foreign = await intentOf({ amount: '1.00' }, api.merchantB.secretKey);
    for (const paymentIntentId of [foreign.id, UNKNOWN]) {
      const { status, body } = await open({ paymentIntentId });
      expect([status, body.error.param]).toEqual([404, 'paymentIntentId']);
    }
    const cancelled = await intentOf();
    await api.database.paymentIntent.update({ where: { id: cancelled.id }, data: { status: 'CANCELLED' } });
    expect((await open({ paymentIntentId: cancelled.id })).body.error.code).toBe('INVALID_STATE');
    const expired = await intentOf();
    await api.database.paymentIntent.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
    expect((await open({ paymentIntentId: expired.id })).body.error.code).toBe('EXPIRED');
    for (const x402Scheme of ['exact', 'escrow']) {
      const called = await intentOf();
      const x402 = { x402Resource: 'https://api.example', x402Scheme, x402Network: 'eip155:31337' };
      await api.database.paymentIntent.update({ where: { id: called.id }, data: x402 });
      const { error } = (await open({ paymentIntentId: called.id })).body;
      expect([error.code, error.param]).toEqual(['INVALID_STATE', 'paymentIntentId']);
      expect(error.message).toContain('paid by x402');
    }
  });

  it('rejects a capture mode and a tax rate, which the intent defines', async () => {
    const intent = await intentOf();
    expect(params(await open({ paymentIntentId: intent.id, captureMode: 'MANUAL' }))).toEqual(['captureMode']);
  });
});

describe('POST /checkout-sessions with objects of another module', () => {
  const fields = { items: undefined };

  it('opens a session of a link, which brings its own rules', async () => {
    const link = (
      await api.rest('POST', '/payment-links', {
        key,
        body: { appId: api.merchantA.appId, name: 'Tea', slug: `tea-${crypto.randomUUID()}`, amount: '4.00' },
      })
    ).body.data;
    const { status, body } = await open({ ...fields, paymentLinkId: link.id });
    expect([status, body.data.amount, body.data.sourceType, body.data.sourceId]).toEqual([
      200,
      '4.00',
      'PAYMENT_LINK',
      link.id,
    ]);
    const ruled = await open({ ...fields, paymentLinkId: link.id, captureMode: 'MANUAL', allowedChains: [31337] });
    expect(params(ruled).sort()).toEqual(['allowedChains', 'captureMode']);
    const stranger = await open({ ...fields, paymentLinkId: link.id, customerAccountId: UNKNOWN });
    expect([stranger.status, stranger.body.error.param]).toEqual([404, 'customerAccountId']);
    const missing = await open({ ...fields, paymentLinkId: UNKNOWN });
    expect([missing.status, missing.body.error.param]).toEqual([404, 'paymentLinkId']);
  });

  it.each(['invoiceId', 'subscriptionId'])('refuses a missing %s by its name', async (name) => {
    const { status, body } = await open({ ...fields, [name]: UNKNOWN });
    expect([status, body.error.param]).toEqual([404, name]);
  });
});

describe('GET /checkout-sessions', () => {
  it('lists those of the caller, newest first, by status', async () => {
    const [first, second] = [await openTea(), await openTea()];
    const { body } = await api.rest('GET', '/checkout-sessions?status=OPEN&pageSize=2', { key });
    expect(body.data.map((session: { id: string }) => session.id)).toEqual([second.id, first.id]);
    expect(body.pagination).toMatchObject({ page: 1, pageSize: 2 });
    const foreign = await api.rest('GET', '/checkout-sessions', { key: api.merchantB.secretKey });
    expect(foreign.body.data).toEqual([]);
    for (const query of ['status=NONE', 'page=0', 'pageSize=101']) {
      expect((await api.rest('GET', `/checkout-sessions?${query}`, { key })).status, query).toBe(400);
    }
    expect((await api.rest('GET', '/checkout-sessions')).status).toBe(401);
  });

  it('returns a session only to its merchant and to the holder of its secret', async () => {
    const [session, other] = [await openTea(), await openTea()];
    const get = async (call: RestCall) => (await api.rest('GET', `/checkout-sessions/${session.id}`, call)).status;
    expect(await get({ key })).toBe(200);
    expect(await get({ clientSecret: session.clientSecret })).toBe(200);
    expect(await get({ clientSecret: other.clientSecret })).toBe(404);
    expect(await get({ key: api.merchantB.secretKey })).toBe(404);
    expect(await get({ clientSecret: `${session.clientSecret.slice(0, -4)}AAAA` })).toBe(401);
    expect(await get({})).toBe(401);
    expect((await api.rest('GET', `/checkout-sessions/${UNKNOWN}`, { key })).status).toBe(404);
    expect((await api.rest('GET', '/checkout-sessions/seven', { key })).status).toBe(400);
  });

  it('hides the notes of the merchant from the payer', async () => {
    const noted = (await open({ items: [tea], metadata: { cost: '3' } })).body.data;
    const readSession = async (call: RestCall) =>
      (await api.rest('GET', `/checkout-sessions/${noted.id}`, call)).body.data;
    const merchants = await readSession({ key });
    expect([noted.metadata, merchants.metadata]).toEqual([{ cost: '3' }, { cost: '3' }]);
    expect(await readSession({ clientSecret: noted.clientSecret })).toEqual({ ...merchants, metadata: {} });
  });
});

describe('POST /checkout-sessions/:id/expire', () => {
  const expire = (id: string, call: RestCall = { key }) => api.rest('POST', `/checkout-sessions/${id}/expire`, call);

  it('ends the session and cancels the intent that it made, once', async () => {
    const session = await openTea();
    const { status, body } = await expire(session.id);
    expect([status, body.data.status]).toEqual([200, 'EXPIRED']);
    const intent = await api.database.paymentIntent.findUniqueOrThrow({ where: { id: session.paymentIntentId } });
    expect(intent.status).toBe('CANCELLED');
    expect(await eventsOf(session.id)).toEqual(['checkout_session.expired']);
    expect(await eventsOf(intent.id)).toEqual(['payment_intent.created', 'payment_intent.cancelled']);
    expect((await expire(session.id)).body.error.code).toBe('INVALID_STATE');
  });

  it('does not cancel an intent that existed before', async () => {
    const intent = await intentOf();
    const session = (await open({ paymentIntentId: intent.id })).body.data;
    await expire(session.id);
    expect((await api.rest('GET', `/payments/intents/${intent.id}`, { key })).body.data.status).toBe('CREATED');
  });

  it("is the merchant's alone", async () => {
    const session = await openTea();
    expect((await expire(session.id, { clientSecret: session.clientSecret })).status).toBe(403);
    expect((await expire(session.id, { key: api.merchantB.secretKey })).status).toBe(404);
    expect((await expire(session.id, {})).status).toBe(401);
  });
});

describe('query checkout', () => {
  it('returns the public fields to the holder of the client secret', async () => {
    const session = await openTea();
    const document = `query ($id: ID!, $secret: String) {
      checkout(id: $id, clientSecret: $secret) { appName isTest payment { status txHash } session { amount items { name } } }
    }`;
    const shown = await api.graphql(document, { id: session.id, secret: session.clientSecret });
    expect(shown.data.checkout).toMatchObject({
      appName: 'Alpha',
      isTest: true,
      payment: { status: 'CREATED', txHash: null },
      session: { amount: '10.00', items: [{ name: 'Tea' }] },
    });
    const byHeader = await api.graphql(document, { id: session.id }, { clientSecret: session.clientSecret });
    expect(byHeader.data.checkout.appName).toBe('Alpha');
    const refused = await api.graphql(document, { id: session.id });
    expect(refused.errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
    const others = await api.graphql(document, { id: session.id }, { clientSecret: (await openTea()).clientSecret });
    expect(others.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('returns the session that a client secret belongs to', async () => {
    const session = await openTea();
    const document = '{ viewer { kind sessionId session { id status } app { id } member { id } roles } }';
    const { data } = await api.graphql(document, {}, { clientSecret: session.clientSecret });
    const expected = { id: session.id, status: 'OPEN' };
    expect(data.viewer).toMatchObject({ kind: 'session', session: expected, app: null, member: null, roles: [] });
    expect((await api.graphql(document, {}, { key })).data.viewer.session).toBeNull();
  });

  it('shows the payment to the payer, without the fields of the merchant', async () => {
    const noted = { externalId: 'order-7', idempotencyKey: crypto.randomUUID(), metadata: { cost: '3' } };
    const intent = await intentOf({ amount: '7.50', ...noted });
    const session = (await open({ paymentIntentId: intent.id })).body.data;
    const payment = 'paymentIntent { id status externalId idempotencyKey metadata }';
    const byId = `query ($id: ID!) { checkoutSession(id: $id) { ${payment} } }`;
    const byArgument = `query ($id: ID!, $secret: String) { checkout(id: $id, clientSecret: $secret) { session { ${payment} } } }`;
    const expected = { id: intent.id, status: 'CREATED', externalId: null, idempotencyKey: null, metadata: {} };
    const payer = { clientSecret: session.clientSecret };
    const shown = await api.graphql(byId, { id: session.id }, payer);
    expect(shown).toMatchObject({ errors: undefined, data: { checkoutSession: { paymentIntent: expected } } });
    const argued = await api.graphql(byArgument, { id: session.id, secret: session.clientSecret });
    expect(argued).toMatchObject({ errors: undefined, data: { checkout: { session: { paymentIntent: expected } } } });
    const merchants = await api.graphql(byId, { id: session.id }, { key });
    expect(merchants.data.checkoutSession.paymentIntent).toEqual({ ...expected, ...noted });
    for (const kept of [
      'transactions { id }',
      'dispute { id }',
      'customerAccount { id }',
      'app { id }',
      'ledger { id }',
      'terms { hash }',
      'checkoutSession { id }',
      'events { id }',
      'refunds { id }',
      'verification { verdict }',
    ]) {
      const document = `query ($id: ID!) { checkoutSession(id: $id) { paymentIntent { ${kept} } } }`;
      const refused = await api.graphql(document, { id: session.id }, payer);
      expect([kept, refused.errors?.[0]?.extensions.code]).toEqual([kept, 'AUTHORIZATION_ERROR']);
    }
  });
});
