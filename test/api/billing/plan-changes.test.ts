/** The outcomes of `PUT /subscriptions/:id` and `changeSubscriptionPlan`. The tests of subscriptions cover the invoices of a change. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { BillingInterval, SubscriptionStatus } from '../../../prisma/client.ts';
import { consentToJson } from '../../../src/escrow/consent.ts';
import { uuidToBytes32 } from '../../../src/escrow/terms.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { consentPeriod } from '../../../src/subscriptions/billing-period.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

const CAP = 12_500_000n;
const DAY_MS = 86_400_000;
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const nobody = '0x0000000000000000000000000000000000000000';

let api: RestApi;
let key: string;
let appId: string;
let customerAccountId: string;
let first: string;
beforeAll(async () => {
  api = await openRestApi();
  ({ secretKey: key, appId } = api.merchantA);
  customerAccountId = newId();
  await api.database.customerAccount.create({ data: { id: customerAccountId, appId } });
  first = await makePrice({ amount: '10' });
});

type Wanted = { amount?: string; interval?: BillingInterval; currency?: string; owner?: string };

async function makePrice({ amount = '10', interval = 'MONTH', currency = 'USD', owner = appId }: Wanted = {}) {
  const plan = { id: newId(), appId: owner, name: 'Gold', planType: 'SUBSCRIPTION' as const };
  const { id: productPlanId } = await api.database.productPlan.create({ data: plan });
  const price = { id: newId(), productPlanId, amount, currency, billingInterval: interval };
  return (await api.database.productPlanPrice.create({ data: price })).id;
}

/** A paid month from now on, with a consent of up to 12.5 USDC for each month. */
async function subscribe(status: SubscriptionStatus = 'ACTIVE'): Promise<string> {
  const id = newId();
  const now = api.clock.now();
  const { productPlanId } = await api.database.productPlanPrice.findUniqueOrThrow({ where: { id: first } });
  await api.database.subscription.create({
    data: {
      id,
      appId,
      customerAccountId,
      productPlanId,
      productPlanPriceId: first,
      status,
      currentPeriodStart: now,
      currentPeriodEnd: new Date(now.getTime() + 30 * DAY_MS),
      billingCycleAnchor: now,
    },
  });
  const consentId = uuidToBytes32(id);
  await api.database.subscriptionConsent.create({
    data: {
      consentId,
      subscriptionId: id,
      quoteId: newId(),
      chainId: 31337,
      tokenKey: 'USDC-31337',
      walletAddress: WALLET,
      method: 'APPROVAL',
      consent: consentToJson({
        subscriptionId: consentId,
        payer: WALLET,
        merchant: WALLET,
        token: '0x1000000000000000000000000000000000000001',
        capPerPeriod: CAP,
        start: Math.floor(now.getTime() / 1000),
        ...consentPeriod('MONTH', 1),
        end: 0,
        feeBps: 100,
        feeRecipient: WALLET,
        operator: WALLET,
        arbiter: nobody,
        timelock: 100,
        disputeWindow: 0,
        disputeTimeout: 0,
        timeoutPayerBps: 0,
      }),
      capPerPeriod: String(CAP),
      cryptoAmount: '10000000',
      exchangeRate: '1',
      quoteExpiresAt: now,
      acceptedAt: now,
      lastChargedPeriod: 0,
    },
  });
  await api.database.subscription.update({ where: { id }, data: { authorizationChainId: 31337, consentId } });
  return id;
}

const put = (id: string, body: object, options: { as?: string | null; headers?: Record<string, string> } = {}) =>
  api.rest('PUT', `/subscriptions/${id}`, {
    body,
    ...(options.as === null ? {} : { key: options.as ?? key }),
    ...(options.headers ? { headers: options.headers } : {}),
  });
const read = (id: string) => api.database.subscription.findUniqueOrThrow({ where: { id } });
const countAdjustments = (subscriptionId: string) =>
  api.database.subscriptionAdjustment.count({ where: { subscriptionId } });

const CHANGE = `mutation ($id: ID!, $input: ChangeSubscriptionPlanInput!) { changeSubscriptionPlan(id: $id, input: $input) {
  productPlanPriceId nextPlanPriceId productPlanPrice { amount } } }`;
const change = (id: string, input: object, as: string | undefined) =>
  api.graphql(CHANGE, { id, input }, as === undefined ? {} : { key: as });

describe('PUT /subscriptions/:id', () => {
  it('changes to a price with the same interval immediately', async () => {
    const [id, price] = [await subscribe(), await makePrice({ amount: '11' })];
    const { status, body } = await put(id, { productPlanPriceId: price });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id,
      productPlanPriceId: price,
      productPlan: { name: 'Gold' },
      productPlanPrice: { amount: '11.00' },
    });
    expect(await countAdjustments(id)).toBe(2);
  });

  it('schedules a price with another interval for the end of the period, and can cancel that', async () => {
    const [id, yearly] = [await subscribe(), await makePrice({ amount: '12', interval: 'YEAR' })];
    expect((await put(id, { productPlanPriceId: yearly })).body.data.productPlanPriceId).toBe(first);
    expect((await read(id)).nextPlanPriceId).toBe(yearly);
    expect((await put(id, { productPlanPriceId: first })).status).toBe(200);
    expect([(await read(id)).nextPlanPriceId, await countAdjustments(id)]).toEqual([null, 0]);
  });

  it.each([
    ['no price', () => ({}), 'productPlanPriceId'],
    ['a malformed price', () => ({ productPlanPriceId: 'x' }), 'productPlanPriceId'],
    ['a malformed plan', () => ({ productPlanPriceId: first, productPlanId: 'x' }), 'productPlanId'],
    ['an unknown field', () => ({ productPlanPriceId: first, colour: 1 }), 'colour'],
    ['another currency', async () => ({ productPlanPriceId: await makePrice({ currency: 'EUR' }) }), undefined],
  ])('refuses %s', async (_what, body, param) => {
    const id = await subscribe();
    const answer = await put(id, await body());
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error.param).toBe(param ?? 'productPlanPriceId');
    expect(await read(id)).toMatchObject({ productPlanPriceId: first, nextPlanPriceId: null });
  });

  it('is refused without a key and with a publishable key', async () => {
    const [id, price] = [await subscribe(), await makePrice()];
    expect((await put(id, { productPlanPriceId: price }, { as: null })).status).toBe(401);
    expect((await put(id, { productPlanPriceId: price }, { as: api.merchantA.publishableKey })).status).toBe(403);
    expect((await read(id)).productPlanPriceId).toBe(first);
  });

  it('returns 404 for another merchant’s subscription and for another merchant’s price', async () => {
    const id = await subscribe();
    const foreignPrice = await makePrice({ owner: api.merchantB.appId });
    const other = { as: api.merchantB.secretKey };
    const foreign = await put(id, { productPlanPriceId: foreignPrice }, other);
    const missing = await put(newId(), { productPlanPriceId: foreignPrice }, other);
    expect(foreign.status).toBe(404);
    expect(withoutRequestId(foreign.body.error)).toEqual(withoutRequestId(missing.body.error));
    const theirs = await put(id, { productPlanPriceId: foreignPrice });
    const none = await put(id, { productPlanPriceId: newId() });
    expect([theirs.status, theirs.body.error.param]).toEqual([404, 'productPlanPriceId']);
    expect(withoutRequestId(theirs.body.error)).toEqual(withoutRequestId(none.body.error));
    expect((await read(id)).productPlanPriceId).toBe(first);
  });

  it.each(['PENDING', 'PAUSED', 'PAST_DUE', 'CANCELLED'] as const)('returns 409 while it is %s', async (state) => {
    const [id, price] = [await subscribe(state), await makePrice()];
    const answer = await put(id, { productPlanPriceId: price });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('returns 409 for a price beyond the signed cap or interval', async () => {
    const id = await subscribe();
    const dear = await put(id, { productPlanPriceId: await makePrice({ amount: '12.51' }) });
    expect([dear.status, dear.body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(dear.body.error.message).toContain('the payer has signed for at most 12.5 USDC');
    const weekly = await put(id, { productPlanPriceId: await makePrice({ interval: 'WEEK', amount: '1' }) });
    expect([weekly.status, weekly.body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect([(await read(id)).productPlanPriceId, await countAdjustments(id)]).toEqual([first, 0]);
  });

  it('is executed once for an idempotency key, which is bound to one request', async () => {
    const [id, price, other] = [await subscribe(), await makePrice({ amount: '9' }), await makePrice({ amount: '8' })];
    const headers = { 'idempotency-key': 'plan' };
    const done = await put(id, { productPlanPriceId: price }, { headers });
    const again = await put(id, { productPlanPriceId: price }, { headers });
    expect(again.body).toEqual(done.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await countAdjustments(id)).toBe(2);
    const misused = await put(id, { productPlanPriceId: other }, { headers });
    expect([misused.status, misused.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect((await read(id)).productPlanPriceId).toBe(price);
  });
});

describe('changeSubscriptionPlan', () => {
  it('returns the changed subscription', async () => {
    const [id, price] = [await subscribe(), await makePrice({ amount: '11' })];
    const { data, errors } = await change(id, { productPlanPriceId: price }, key);
    expect(errors).toBeUndefined();
    expect(data.changeSubscriptionPlan).toEqual({
      productPlanPriceId: price,
      nextPlanPriceId: null,
      productPlanPrice: { amount: '11.00' },
    });
  });

  it('returns the same errors as the REST call', async () => {
    const [id, dear] = [await subscribe(), await makePrice({ amount: '13' })];
    const code = async (...call: Parameters<typeof change>) => (await change(...call)).errors?.[0]?.extensions.code;
    expect(await code(id, { productPlanPriceId: dear }, undefined)).toBe('AUTHENTICATION_ERROR');
    expect(await code(id, { productPlanPriceId: dear }, api.merchantA.publishableKey)).toBe('AUTHORIZATION_ERROR');
    expect(await code(id, { productPlanPriceId: dear }, api.merchantB.secretKey)).toBe('NOT_FOUND');
    expect(await code(id, { productPlanPriceId: newId() }, key)).toBe('NOT_FOUND');
    expect(await code(id, { productPlanPriceId: dear }, key)).toBe('INVALID_STATE');
    expect((await read(id)).productPlanPriceId).toBe(first);
  });
});

describe('Subscription.consent', () => {
  const READ = `query ($id: ID!) { subscription(id: $id) { consent {
    id capPerPeriod chainId tokenKey walletAddress acceptedAt revokedAt endsAt lastChargedPeriod } } }`;

  it('returns the signed consent, only to its merchant', async () => {
    const id = await subscribe();
    const { data } = await api.graphql(READ, { id }, { key });
    expect(data.subscription.consent).toEqual({
      id: uuidToBytes32(id),
      capPerPeriod: '12500000',
      chainId: 31337,
      tokenKey: 'USDC-31337',
      walletAddress: WALLET,
      acceptedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      revokedAt: null,
      endsAt: null,
      lastChargedPeriod: 0,
    });
    const foreign = await api.graphql(READ, { id }, { key: api.merchantB.secretKey });
    expect(foreign.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await api.database.subscription.update({ where: { id }, data: { consentId: null } });
    expect((await api.graphql(READ, { id }, { key })).data.subscription.consent).toBeNull();
  });
});

describe('Subscription.planChange', () => {
  const READ = `query ($id: ID!, $price: UUID!) { subscription(id: $id) { planChange(productPlanPriceId: $price) {
    effectiveAt isProrated nextChargeAt lines { description amount taxAmount } subtotal taxAmount total currency carriedCredit } } }`;
  const ask = (id: string, price: string, as?: string) =>
    api.graphql(READ, { id, price }, as === undefined ? {} : { key: as });

  it('previews the change without making it', async () => {
    const [id, price] = [await subscribe(), await makePrice({ amount: '11' })];
    const { data } = await ask(id, price, key);
    const { currentPeriodEnd } = await read(id);
    expect(data.subscription.planChange).toMatchObject({
      isProrated: true,
      nextChargeAt: currentPeriodEnd?.toISOString(),
      lines: [{ amount: '11.00', taxAmount: '0.00' }, { amount: '-10.00' }, { amount: '11.00' }],
      total: '12.00',
      currency: 'USD',
      carriedCredit: null,
    });
    expect([(await read(id)).productPlanPriceId, await countAdjustments(id)]).toEqual([first, 0]);
  });

  it('returns the same errors as the change', async () => {
    const [id, dear] = [await subscribe(), await makePrice({ amount: '13' })];
    const code = async (...call: Parameters<typeof ask>) => (await ask(...call)).errors?.[0]?.extensions.code;
    expect(await code(id, dear)).toBe('AUTHENTICATION_ERROR');
    expect(await code(id, dear, api.merchantA.publishableKey)).toBe('AUTHORIZATION_ERROR');
    expect(await code(id, dear, api.merchantB.secretKey)).toBe('NOT_FOUND');
    expect(await code(id, await makePrice({ owner: api.merchantB.appId }), key)).toBe('NOT_FOUND');
    expect(await code(id, await makePrice({ currency: 'EUR' }), key)).toBe('VALIDATION_ERROR');
    expect(await code(id, dear, key)).toBe('INVALID_STATE');
  });
});

describe('Subscription.upcomingCharges', () => {
  const READ = `query ($id: ID!, $first: Int!) { subscription(id: $id) { upcomingCharges(first: $first) {
    dueAt periodEnd subtotal taxAmount total currency productPlanPriceId invoiceId } } }`;
  const ask = (id: string, first = 2, as = key) => api.graphql(READ, { id, first }, { key: as });
  const charges = async (id: string, count = 2) => (await ask(id, count)).data.subscription.upcomingCharges;

  it('starts at the end of the period and follows the calendar of the anchor', async () => {
    const id = await subscribe();
    const anchor = new Date('2027-01-31T10:00:00.000Z');
    const currentPeriodEnd = new Date('2027-02-28T10:00:00.000Z');
    await api.database.subscription.update({ where: { id }, data: { billingCycleAnchor: anchor, currentPeriodEnd } });
    const found = await charges(id, 3);
    expect(found.map((charge: { dueAt: string }) => charge.dueAt)).toEqual([
      '2027-02-28T10:00:00.000Z',
      '2027-03-31T10:00:00.000Z',
      '2027-04-30T10:00:00.000Z',
    ]);
    expect(found[0]).toMatchObject({
      periodEnd: '2027-03-31T10:00:00.000Z',
      subtotal: '10.00',
      taxAmount: '0.00',
      total: '10.00',
      currency: 'USD',
      productPlanPriceId: first,
      invoiceId: null,
    });
  });

  it('starts with the open invoice', async () => {
    const id = await subscribe('PAST_DUE');
    const { currentPeriodEnd: periodStart } = await read(id);
    if (!periodStart) throw new Error('There is no period.');
    const periodEnd = new Date(periodStart.getTime() + 30 * DAY_MS);
    const invoice = { id: newId(), appId, customerAccountId, subscriptionId: id, status: 'PAST_DUE' as const };
    const amounts = { subtotal: '7', taxAmount: '1', total: '8', currency: 'USD' };
    await api.database.invoice.create({ data: { ...invoice, ...amounts, periodStart, periodEnd } });
    const attempt = { subscriptionId: id, invoiceId: invoice.id, createdAt: periodStart, endedAt: periodStart };
    await api.database.renewalAttempt.create({
      data: {
        ...attempt,
        id: newId(),
        status: 'FAILED',
        errorCode: 'INSUFFICIENT_BALANCE',
        errorMessage: 'Too little.',
      },
    });
    const [open, next] = await charges(id);
    expect(open).toMatchObject({ invoiceId: invoice.id, total: '8.00', dueAt: periodStart.toISOString() });
    expect(next).toMatchObject({ invoiceId: null, total: '10.00', dueAt: periodEnd.toISOString() });
    const ATTEMPTS = '{ attempts { status error { code message } endedAt } }';
    const { data } = await api.graphql(
      `query ($id: ID!) { invoice(id: $id) ${ATTEMPTS} }`,
      { id: invoice.id },
      { key },
    );
    const error = { code: 'INSUFFICIENT_BALANCE', message: 'Too little.' };
    expect(data.invoice.attempts).toEqual([{ status: 'FAILED', error, endedAt: periodStart.toISOString() }]);
  });

  it.each(['PENDING', 'PAUSED', 'CANCELLED'] as const)('is empty for a subscription that is %s', async (status) => {
    expect(await charges(await subscribe(status))).toEqual([]);
  });

  it('ends with the subscription or the consent', async () => {
    const id = await subscribe();
    const { currentPeriodEnd: cancelAt } = await read(id);
    await api.database.subscription.update({ where: { id }, data: { cancelAt } });
    expect(await charges(id)).toEqual([]);
    await api.database.subscription.update({ where: { id }, data: { cancelAt: null } });
    expect(await charges(id)).toHaveLength(2);
    await api.database.subscriptionConsent.updateMany({
      where: { subscriptionId: id },
      data: { revokedAt: api.clock.now() },
    });
    expect(await charges(id)).toEqual([]);
  });

  it('returns 1 to 36 charges, only to its merchant', async () => {
    const id = await subscribe();
    expect(await charges(id, 36)).toHaveLength(36);
    const code = async (count: number, as?: string) => (await ask(id, count, as)).errors?.[0]?.extensions.code;
    expect([await code(0), await code(37)]).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR']);
    expect(await code(1, api.merchantB.secretKey)).toBe('NOT_FOUND');
  });
});

describe('Subscription.renewalOutlook', () => {
  const READ =
    'query ($id: ID!) { subscription(id: $id) { renewalForecast renewalOutlook { expectedAmount balance } } }';

  it('contains the amounts behind the forecast', async () => {
    const id = await subscribe();
    const readOutlook = async () => (await api.graphql(READ, { id }, { key })).data.subscription;
    expect(await readOutlook()).toEqual({ renewalForecast: 'OK', renewalOutlook: null });
    const figures = { expectedAmount: '10000000', balance: '9999999' };
    await api.database.renewalOutlook.create({ data: { subscriptionId: id, ...figures, readAt: api.clock.now() } });
    expect(await readOutlook()).toEqual({ renewalForecast: 'LOW_BALANCE', renewalOutlook: figures });
  });
});

/** An error without its request ID. */
function withoutRequestId(error: Record<string, unknown>): Record<string, unknown> {
  return { ...error, requestId: null };
}
