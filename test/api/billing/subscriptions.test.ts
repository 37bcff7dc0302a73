import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
let appId: string;
let foreign: string;
let ids: { customerAccountId: string; productPlanId: string; productPlanPriceId: string };
beforeAll(async () => {
  api = await openRestApi();
  ({ secretKey: key, appId } = api.merchantA);
  foreign = api.merchantB.secretKey;
  const customer = await api.rest('POST', '/customers', { key, body: { appId, name: 'Ada' } });
  const prices = [{ amount: '10', billingInterval: 'MONTH' }];
  const plan = await api.rest('POST', '/product-plans', {
    key,
    body: { name: 'Gold', planType: 'SUBSCRIPTION', prices },
  });
  ids = {
    customerAccountId: customer.body.data.id,
    productPlanId: plan.body.data.id,
    productPlanPriceId: plan.body.data.prices[0].id,
  };
});

const post = (fields: object = {}, caller = key) =>
  api.rest('POST', '/subscriptions', { key: caller, body: { appId, ...ids, ...fields } });
const make = async () => (await post()).body.data;
const act = (id: string, action: string, body?: object, caller = key) =>
  api.rest('POST', `/subscriptions/${id}/${action}`, { key: caller, ...(body ? { body } : {}) });
/** Sets a state of a subscription that only payments can reach. */
const become = (id: string, data: object) => api.database.subscription.update({ where: { id }, data });
const day = (days: number) => new Date(Date.now() + days * 86_400_000);

describe('POST /subscriptions', () => {
  it('creates a PENDING subscription with its plan and price, and appends an event', async () => {
    const { status, body } = await post({ allowedChains: [31337], metadata: { seat: 1 } });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      ...ids,
      appId,
      status: 'PENDING',
      captureRetryCount: 0,
      maxCaptureRetries: 4,
      allowedChains: [31337],
      allowedTokens: 'ALL',
      customerWalletId: null,
      currentPeriodEnd: null,
      productPlan: { name: 'Gold' },
      productPlanPrice: { amount: '10.00', billingInterval: 'MONTH' },
    });
    expect(await api.database.event.count({ where: { resourceId: body.data.id, type: 'subscription.created' } })).toBe(
      1,
    );
  });

  it('increments the customer’s count of subscriptions', async () => {
    const body = { appId, name: 'Grace' };
    const customer = (await api.rest('POST', '/customers', { key, body })).body.data;
    for (let made = 0; made < 3; made++) await post({ customerAccountId: customer.id });
    const counted = await api.rest('GET', '/customers?search=Grace', { key });
    expect(counted.body.data[0]).toMatchObject({
      id: customer.id,
      _count: { paymentIntents: 0, subscriptions: 3, invoices: 0 },
    });
  });

  it.each([
    ['a Solana chain', { allowedChains: [103] }, ['allowedChains[0]']],
    ['a native coin', { allowedTokens: ['ETH-31337'] }, ['allowedTokens[0]']],
    ['an unknown token', { allowedTokens: ['NOPE-1'] }, ['allowedTokens[0]']],
    ['a malformed id', { customerAccountId: 'x' }, ['customerAccountId']],
    ['an unknown field', { colour: 1 }, ['colour']],
  ])('refuses %s', async (_what, fields, params) => {
    const answer = await post(fields);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { param: string }) => fault.param)).toEqual(params);
  });

  it('requires a SUBSCRIPTION plan and one of its prices', async () => {
    const once = await api.rest('POST', '/product-plans', { key, body: { name: 'Once', prices: [{ amount: '1' }] } });
    const [price] = once.body.data.prices;
    const wrong = await post({ productPlanId: once.body.data.id, productPlanPriceId: price.id });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'productPlanId']);
    expect((await post({ productPlanPriceId: price.id })).body.error.param).toBe('productPlanPriceId');
  });

  it('refuses an archived plan and an archived price', async () => {
    const body = { name: 'Old', planType: 'SUBSCRIPTION', prices: [{ amount: '1', billingInterval: 'DAY' }] };
    const plan = (await api.rest('POST', '/product-plans', { key, body })).body.data;
    const bought = { productPlanId: plan.id, productPlanPriceId: plan.prices[0].id };
    const refused = async () => {
      const answer = await post(bought);
      return [answer.status, answer.body.error.param];
    };
    await api.database.productPlanPrice.update({ where: { id: plan.prices[0].id }, data: { isActive: false } });
    expect(await refused()).toEqual([400, 'productPlanPriceId']);
    await api.rest('PUT', `/product-plans/${plan.id}`, { key, body: { isActive: false } });
    expect(await refused()).toEqual([400, 'productPlanId']);
  });

  it('is refused without a key, with a publishable key and for another merchant’s objects', async () => {
    expect((await api.rest('POST', '/subscriptions', { body: { appId, ...ids } })).status).toBe(401);
    expect((await post({}, api.merchantA.publishableKey)).status).toBe(403);
    expect((await post({}, foreign)).status).toBe(403);
    const theirs = await post({ appId: api.merchantB.appId }, foreign);
    expect([theirs.status, theirs.body.error.param]).toEqual([404, 'customerAccountId']);
  });

  it('creates one subscription for an idempotency key', async () => {
    const call = { key, body: { appId, ...ids }, headers: { 'idempotency-key': 's1' } };
    const [first, second] = [
      await api.rest('POST', '/subscriptions', call),
      await api.rest('POST', '/subscriptions', call),
    ];
    expect(second.body).toEqual(first.body);
  });
});

/** The documented fields, which every response contains, with null for missing values. */
const described = [
  ...['id', 'appId', 'customerAccountId', 'productPlanId', 'productPlanPriceId', 'status', 'customerWalletId'],
  ...['authorizationMethod', 'authorizationChainId', 'authorizationTokenKey', 'permitSignature', 'permitDeadline'],
  ...['permitNonce', 'approvedAllowance', 'currentPeriodStart', 'currentPeriodEnd', 'billingCycleAnchor'],
  ...['trialStart', 'trialEnd', 'cancelAt', 'cancelledAt', 'cancelAtPeriodEnd', 'pausedAt', 'pastDueSince'],
  ...['captureRetryCount', 'maxCaptureRetries', 'pendingJobId', 'allowedChains', 'allowedTokens', 'metadata'],
  ...['createdAt', 'updatedAt'],
];
const relations = ['app', 'customerAccount', 'customerWallet', 'productPlan', 'productPlanPrice', 'invoices'];
const fieldsOf = (data: object) => Object.keys(data).filter((name) => described.includes(name));
const relationsOf = (data: object) => relations.filter((name) => name in data);

describe('a subscription', () => {
  it('has every documented field, and the documented relations of each response', async () => {
    const made = await make();
    await become(made.id, { status: 'ACTIVE', currentPeriodEnd: day(10) });
    const answers = {
      create: made,
      list: (await api.rest('GET', '/subscriptions?pageSize=1', { key })).body.data[0],
      retrieve: (await api.rest('GET', `/subscriptions/${made.id}`, { key })).body.data,
      pause: (await act(made.id, 'pause')).body.data,
      resume: (await act(made.id, 'resume')).body.data,
      cancel: (await act(made.id, 'cancel')).body.data,
    };
    for (const [name, answer] of Object.entries(answers)) {
      expect([name, fieldsOf(answer).sort()]).toEqual([name, [...described].sort()]);
    }
    const shown = Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, relationsOf(answer)]));
    expect(shown).toEqual({
      create: ['productPlan', 'productPlanPrice'],
      list: ['customerAccount', 'productPlan'],
      retrieve: relations,
      pause: [],
      resume: [],
      cancel: [],
    });
    expect(answers.create.productPlan.taxRate).toBeUndefined();
    expect(answers.list.productPlan.taxRate).toBeNull();
    // A CustomerAccount includes its wallets in every response.
    expect([answers.list.customerAccount.wallets, answers.retrieve.customerAccount.wallets]).toEqual([[], []]);
  });

  it('is retrieved with its last ten invoices, each with items, tax rate and payment', async () => {
    const { id } = await make();
    const taxRate = { displayName: 'VAT', percentage: 20 };
    const taxRateId = (await api.rest('POST', '/tax-rates', { key, body: taxRate })).body.data.id;
    const intent = (await api.rest('POST', '/payments/intents', { key, body: { amount: '12.00' } })).body.data;
    const made: string[] = [];
    for (let index = 0; index < 11; index++) {
      const items = [{ description: `Month ${index}`, amount: '10.00' }];
      const body = { customerAccountId: ids.customerAccountId, items, taxRateId };
      made.push((await api.rest('POST', '/invoices', { key, body })).body.data.id);
    }
    await api.database.invoice.updateMany({ where: { id: { in: made } }, data: { subscriptionId: id } });
    await api.database.invoice.update({ where: { id: made[10] ?? '' }, data: { paymentIntentId: intent.id } });
    const { invoices } = (await api.rest('GET', `/subscriptions/${id}`, { key })).body.data;
    expect(invoices.map((invoice: { id: string }) => invoice.id)).toEqual(made.slice(1).reverse());
    expect(invoices[0]).toMatchObject({
      subscriptionId: id,
      items: [{ description: 'Month 10', amount: '10.00', taxAmount: '2.00' }],
      taxRate,
      paymentIntent: { id: intent.id, amount: '12.00', status: 'CREATED' },
    });
    expect(invoices[9].paymentIntent).toBeNull();
  });

  it('requires no input over GraphQL if REST allows an empty body', async () => {
    const { id } = await make();
    const ask = async (query: string) => (await api.graphql(`mutation ($id: ID!) { ${query} }`, { id }, { key })).data;
    const opened = await ask('opened: createSubscriptionCheckout(id: $id) { mode uiMode }');
    expect(opened).toEqual({ opened: { mode: 'SUBSCRIPTION', uiMode: 'HOSTED' } });
    expect(await ask('ended: cancelSubscription(id: $id) { status }')).toEqual({ ended: { status: 'CANCELLED' } });
  });

  it('is created, paused, resumed and cancelled over GraphQL as over REST', async () => {
    const ask = async (document: string, variables: Record<string, unknown>) => {
      const { data, errors } = await api.graphql(document, variables, { key });
      return errors ? errors[0]?.extensions.code : data;
    };
    const create =
      'mutation ($input: CreateSubscriptionInput!) { subscription: createSubscription(input: $input) { id status } }';
    const { subscription } = await ask(create, { input: { appId, ...ids } });
    expect(subscription.status).toBe('PENDING');
    const { id } = subscription;
    const pause = 'mutation ($id: ID!) { subscription: pauseSubscription(id: $id) { status } }';
    expect(await ask(pause, { id })).toBe('INVALID_STATE');
    await become(id, { status: 'ACTIVE', currentPeriodEnd: day(10) });
    expect(await ask(pause, { id })).toEqual({ subscription: { status: 'PAUSED' } });
    const resume = 'mutation ($id: ID!) { subscription: resumeSubscription(id: $id) { status pendingJobId } }';
    expect(await ask(resume, { id })).toEqual({ subscription: { status: 'ACTIVE', pendingJobId: expect.any(String) } });
    const cancel =
      'mutation ($id: ID!, $input: CancelSubscriptionInput!) { subscription: cancelSubscription(id: $id, input: $input) { status cancelAtPeriodEnd } }';
    const later = { subscription: { status: 'ACTIVE', cancelAtPeriodEnd: true } };
    expect(await ask(cancel, { id, input: { cancelAtPeriodEnd: true } })).toEqual(later);
    const now = { subscription: { status: 'CANCELLED', cancelAtPeriodEnd: true } };
    expect(await ask(cancel, { id, input: {} })).toEqual(now);
    expect(await ask('query ($id: ID!) { subscription(id: $id) { status } }', { id })).toEqual({
      subscription: { status: 'CANCELLED' },
    });
  });

  it('is retrieved with all its relations, and listed with fewer', async () => {
    const { id } = await make();
    const { body } = await api.rest('GET', `/subscriptions/${id}`, { key });
    expect(body.data).toMatchObject({
      app: { id: appId },
      customerAccount: { name: 'Ada' },
      customerWallet: null,
      productPlan: { name: 'Gold', taxRate: null },
      invoices: [],
    });
    const listed = await api.rest('GET', '/subscriptions?status=PENDING&pageSize=1', { key });
    expect(listed.body.data[0]).toMatchObject({ id, customerAccount: { name: 'Ada' }, productPlan: { taxRate: null } });
    expect(listed.body.data[0].invoices).toBeUndefined();
    expect((await api.rest('GET', '/subscriptions?status=GONE', { key })).status).toBe(400);
  });

  it('can be paused only while ACTIVE, and then returns only its scalar fields', async () => {
    const { id } = await make();
    expect((await act(id, 'pause')).body.error.code).toBe('INVALID_STATE');
    await become(id, { status: 'ACTIVE' });
    const paused = (await act(id, 'pause')).body.data;
    expect(paused).toMatchObject({ status: 'PAUSED', pausedAt: expect.any(String) });
    expect(paused.productPlan).toBeUndefined();
    expect((await act(id, 'pause')).status).toBe(409);
  });

  it('resumes with its dates within the period, and with a new anchor after it', async () => {
    const { id } = await make();
    const end = day(10);
    await become(id, { status: 'PAUSED', pausedAt: day(-1), currentPeriodEnd: end, billingCycleAnchor: day(-20) });
    const resumed = (await act(id, 'resume')).body.data;
    expect(resumed).toMatchObject({
      status: 'ACTIVE',
      pausedAt: null,
      currentPeriodEnd: end.toISOString(),
      pendingJobId: expect.any(String),
    });
    await become(id, { status: 'PAUSED', currentPeriodEnd: day(-2) });
    const late = (await act(id, 'resume')).body.data;
    expect(late.billingCycleAnchor).toBe(late.currentPeriodEnd);
    expect(Date.parse(late.billingCycleAnchor)).toBeGreaterThan(day(-1).getTime());
    expect((await act(id, 'resume')).status).toBe(409);
  });

  it('is cancelled immediately by default', async () => {
    const { id } = await make();
    const cancelled = (await act(id, 'cancel')).body.data;
    expect(cancelled).toMatchObject({ status: 'CANCELLED', cancelledAt: expect.any(String), cancelAtPeriodEnd: false });
    expect((await act(id, 'cancel', {})).body.error.code).toBe('INVALID_STATE');
    expect(await api.database.event.count({ where: { resourceId: id, type: 'subscription.cancelled' } })).toBe(1);
  });

  it('is cancelled at the end of its period, or immediately without one', async () => {
    const { id } = await make();
    const end = day(10);
    await become(id, { status: 'ACTIVE', currentPeriodEnd: end });
    const later = (await act(id, 'cancel', { cancelAtPeriodEnd: true })).body.data;
    expect(later).toMatchObject({
      status: 'ACTIVE',
      cancelAtPeriodEnd: true,
      cancelAt: end.toISOString(),
      cancelledAt: null,
    });
    await act(id, 'cancel', { cancelAtPeriodEnd: true });
    const events = await api.database.event.findMany({ where: { resourceId: id, type: 'subscription.updated' } });
    expect(events.map((event) => event.data)).toMatchObject([{ cancelAt: end.toISOString(), cancelAtPeriodEnd: true }]);
    expect((await act(id, 'cancel', {})).body.data.status).toBe('CANCELLED');
    const other = await make();
    expect((await act(other.id, 'cancel', { cancelAtPeriodEnd: true })).body.data.status).toBe('CANCELLED');
    expect((await act(other.id, 'cancel', { cancelAtPeriodEnd: 'yes' })).status).toBe(400);
  });

  it('returns 404 to another merchant', async () => {
    const { id } = await make();
    expect((await api.rest('GET', `/subscriptions/${id}`, { key: foreign })).status).toBe(404);
    for (const action of ['pause', 'resume', 'cancel'])
      expect((await act(id, action, undefined, foreign)).status).toBe(404);
    expect(await api.database.subscription.findUnique({ where: { id } })).toMatchObject({ status: 'PENDING' });
  });
});
