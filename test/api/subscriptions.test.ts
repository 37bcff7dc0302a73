import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../setup/rest.ts';

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
/** Puts a subscription where only payments bring it. */
const become = (id: string, data: object) => api.database.subscription.update({ where: { id }, data });
const day = (days: number) => new Date(Date.now() + days * 86_400_000);

describe('POST /subscriptions', () => {
  it('makes a PENDING one, with its plan and price, and tells of it', async () => {
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
    const counted = await api.rest('GET', '/customers?search=Ada', { key });
    expect(counted.body.data[0]._count.subscriptions).toBeGreaterThan(0);
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

  it('needs a SUBSCRIPTION plan, and a price of it', async () => {
    const once = await api.rest('POST', '/product-plans', { key, body: { name: 'Once', prices: [{ amount: '1' }] } });
    const [price] = once.body.data.prices;
    const wrong = await post({ productPlanId: once.body.data.id, productPlanPriceId: price.id });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'productPlanId']);
    expect((await post({ productPlanPriceId: price.id })).body.error.param).toBe('productPlanPriceId');
  });

  it('is refused without a key, with a publishable one, and for what is another merchant’s', async () => {
    expect((await api.rest('POST', '/subscriptions', { body: { appId, ...ids } })).status).toBe(401);
    expect((await post({}, api.merchantA.publishableKey)).status).toBe(403);
    expect((await post({}, foreign)).status).toBe(403);
    const theirs = await post({ appId: api.merchantB.appId }, foreign);
    expect([theirs.status, theirs.body.error.param]).toEqual([404, 'customerAccountId']);
  });

  it('is made once for one idempotency key', async () => {
    const call = { key, body: { appId, ...ids }, headers: { 'idempotency-key': 's1' } };
    const [first, second] = [
      await api.rest('POST', '/subscriptions', call),
      await api.rest('POST', '/subscriptions', call),
    ];
    expect(second.body).toEqual(first.body);
  });
});

describe('a subscription', () => {
  it('is retrieved with all that belongs to it, and listed with less', async () => {
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

  it('pauses only while it is ACTIVE, and answers its scalar fields', async () => {
    const { id } = await make();
    expect((await act(id, 'pause')).body.error.code).toBe('INVALID_STATE');
    await become(id, { status: 'ACTIVE' });
    const paused = (await act(id, 'pause')).body.data;
    expect(paused).toMatchObject({ status: 'PAUSED', pausedAt: expect.any(String) });
    expect(paused.productPlan).toBeUndefined();
    expect((await act(id, 'pause')).status).toBe(409);
  });

  it('resumes inside its period with its dates, and after it with a new anchor', async () => {
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

  it('is cancelled now, by default', async () => {
    const { id } = await make();
    const cancelled = (await act(id, 'cancel')).body.data;
    expect(cancelled).toMatchObject({ status: 'CANCELLED', cancelledAt: expect.any(String), cancelAtPeriodEnd: false });
    expect((await act(id, 'cancel', {})).body.error.code).toBe('INVALID_STATE');
    expect(await api.database.event.count({ where: { resourceId: id, type: 'subscription.cancelled' } })).toBe(1);
  });

  it('is cancelled at the end of its period, or now without one', async () => {
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
    const other = await make();
    expect((await act(other.id, 'cancel', { cancelAtPeriodEnd: true })).body.data.status).toBe('CANCELLED');
    expect((await act(other.id, 'cancel', { cancelAtPeriodEnd: 'yes' })).status).toBe(400);
  });

  it('of another merchant answers as a missing one', async () => {
    const { id } = await make();
    expect((await api.rest('GET', `/subscriptions/${id}`, { key: foreign })).status).toBe(404);
    for (const action of ['pause', 'resume', 'cancel'])
      expect((await act(id, action, undefined, foreign)).status).toBe(404);
    expect(await api.database.subscription.findUnique({ where: { id } })).toMatchObject({ status: 'PENDING' });
  });
});
