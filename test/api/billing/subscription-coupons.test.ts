/** Coupons of subscriptions over the API: creation, payment links, application and removal. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-000000000000';

let api: RestApi;
let key: string;
let appId: string;
let foreign: string;
let count = 0;
let plan: { id: string; prices: { id: string }[] };
let customerAccountId: string;
beforeAll(async () => {
  api = await openRestApi();
  ({ secretKey: key, appId } = api.merchantA);
  foreign = api.merchantB.secretKey;
  plan = await makePlan();
  customerAccountId = await makeCustomer();
});

const create = async (path: string, body: object, caller = key) =>
  (await api.rest('POST', path, { key: caller, body })).body.data;
const makePlan = (fields: object = {}) => {
  const prices = [{ amount: '20.00', billingInterval: 'MONTH', isDefault: true, ...fields }];
  return create('/product-plans', { name: 'Gold', planType: 'SUBSCRIPTION', prices });
};
const makeCustomer = async () => {
  count += 1;
  return (await create('/customers', { appId, name: 'Ada', email: `ada-${count}@example.com` })).id;
};
const makeCoupon = (fields: object = {}, caller = key) => {
  count += 1;
  return create('/coupons', { name: 'Half', code: `HALF-${count}`, percentOffBps: 5_000, ...fields }, caller);
};
const readCoupon = async (id: string) => (await api.rest('GET', `/coupons/${id}`, { key })).body.data;
const subscribe = (fields: object = {}, headers: Record<string, string> = {}) =>
  api.rest('POST', '/subscriptions', {
    key,
    headers,
    body: { appId, customerAccountId, productPlanId: plan.id, productPlanPriceId: plan.prices[0]?.id, ...fields },
  });
const started = async () => {
  const { id } = (await subscribe()).body.data;
  await api.database.subscription.update({ where: { id }, data: { status: 'ACTIVE' } });
  return id as string;
};
const apply = (id: string, body: object, headers: Record<string, string> = {}, caller = key) =>
  api.rest('POST', `/subscriptions/${id}/coupon`, { key: caller, body, headers });
const remove = (id: string, caller = key) => api.rest('DELETE', `/subscriptions/${id}/coupon`, { key: caller });
const makeLink = (fields: object = {}) => {
  count += 1;
  return create('/payment-links', { appId, name: 'Gold', slug: `gold-${count}`, productPlanId: plan.id, ...fields });
};
const start = (slug: string, body: object = {}) => {
  count += 1;
  const billingDetails = { email: `payer-${count}@example.com` };
  return api.rest('POST', `/payment-links/${slug}/checkout`, { body: { billingDetails, ...body } });
};
const verdict = ({ status, body }: { status: number; body: { error?: { code: string; param?: string } } }) => [
  status,
  body.error?.code,
  body.error?.param,
];

describe('the duration of a coupon', () => {
  it('is ONCE by default, and cannot be changed', async () => {
    const once = await makeCoupon();
    expect(once).toMatchObject({ duration: 'ONCE', durationPeriods: null });
    expect(await makeCoupon({ duration: 'REPEATING', durationPeriods: 3 })).toMatchObject({
      duration: 'REPEATING',
      durationPeriods: 3,
    });
    expect(await makeCoupon({ duration: 'FOREVER' })).toMatchObject({ duration: 'FOREVER', durationPeriods: null });
    const changed = await api.rest('PUT', `/coupons/${once.id}`, { key, body: { duration: 'FOREVER' } });
    expect(changed.status).toBe(400);
  });

  it('has a number of periods only if it is REPEATING', async () => {
    const refused = async (fields: object) => {
      const body = { name: 'S', percentOffBps: 1, ...fields };
      const { error } = (await api.rest('POST', '/coupons', { key, body })).body;
      return error.details.map((fault: { param: string }) => fault.param);
    };
    expect(await refused({ duration: 'REPEATING' })).toEqual(['durationPeriods']);
    expect(await refused({ durationPeriods: 2 })).toEqual(['durationPeriods']);
    expect(await refused({ duration: 'FOREVER', durationPeriods: 2 })).toEqual(['durationPeriods']);
    expect(await refused({ duration: 'REPEATING', durationPeriods: 1_001 })).toEqual(['durationPeriods']);
  });

  it('does not affect a one-time payment, which is discounted once', async () => {
    const coupon = await makeCoupon({ duration: 'REPEATING', durationPeriods: 3 });
    const session = await create('/checkout-sessions', {
      items: [{ name: 'Tea', amount: '10.00' }],
      couponId: coupon.id,
    });
    expect(session).toMatchObject({ amount: '5.00', discountAmount: '5.00' });
  });
});

describe('POST /subscriptions', () => {
  it('accepts a coupon by ID or code, once for an idempotency key, and discounts the checkout', async () => {
    const coupon = await makeCoupon({ duration: 'REPEATING', durationPeriods: 3 });
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const { body } = await subscribe({ couponCode: coupon.code.toLowerCase() }, headers);
    expect(body.data).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: 3 });
    expect((await subscribe({ couponCode: coupon.code.toLowerCase() }, headers)).body.data).toEqual(body.data);
    expect((await readCoupon(coupon.id)).redemptionCount).toBe(1);
    const checkout = () => create(`/subscriptions/${body.data.id}/checkout`, {});
    const [one, two] = [await checkout(), await checkout()];
    expect(one).toMatchObject({
      amount: '10.00',
      discountAmount: '10.00',
      couponId: coupon.id,
      items: [{ amount: '20.00', discountAmount: '10.00' }],
    });
    expect(two.paymentIntentId).toBe(one.paymentIntentId);
    expect((await readCoupon(coupon.id)).redemptionCount).toBe(1);
    const query = `query ($id: ID!) { checkoutSession(id: $id) { coupon {
      name percentOffBps amountOff duration durationPeriods laterAmount } } }`;
    expect((await api.graphql(query, { id: one.id }, { key })).data.checkoutSession.coupon).toEqual({
      name: 'Half',
      percentOffBps: 5_000,
      amountOff: null,
      duration: 'REPEATING',
      durationPeriods: 3,
      laterAmount: '20.00',
    });
    const event = await api.database.event.findFirstOrThrow({ where: { resourceId: body.data.id } });
    expect(event.data).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: 3 });
  });

  it('refuses a coupon that does not apply, and creates nothing', async () => {
    const before = await api.database.subscription.count();
    const coupon = await makeCoupon();
    const theirs = await makeCoupon({}, foreign);
    expect(verdict(await subscribe({ couponId: UNKNOWN }))).toEqual([404, 'NOT_FOUND', 'couponId']);
    expect(verdict(await subscribe({ couponId: theirs.id }))).toEqual([404, 'NOT_FOUND', 'couponId']);
    expect(verdict(await subscribe({ couponCode: theirs.code }))).toEqual([404, 'NOT_FOUND', 'couponCode']);
    const both = { couponId: coupon.id, couponCode: coupon.code };
    expect(verdict(await subscribe(both))).toEqual([400, 'VALIDATION_ERROR', 'couponCode']);
    const euros = await makeCoupon({ percentOffBps: null, amountOff: '1', currency: 'EUR' });
    expect(verdict(await subscribe({ couponId: euros.id }))).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
    const past = await makeCoupon({ expiresAt: '2020-01-01T00:00:00Z' });
    expect(verdict(await subscribe({ couponId: past.id }))).toEqual([410, 'EXPIRED', 'couponId']);
    const free = await makeCoupon({ percentOffBps: null, amountOff: '20' });
    expect(verdict(await subscribe({ couponId: free.id }))).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
    await api.rest('DELETE', `/coupons/${coupon.id}`, { key });
    expect(verdict(await subscribe({ couponId: coupon.id }))).toEqual([409, 'INVALID_STATE', 'couponId']);
    const limited = await makeCoupon({ maxRedemptionsPerCustomer: 1 });
    expect((await subscribe({ couponId: limited.id })).status).toBe(200);
    expect(verdict(await subscribe({ couponId: limited.id }))).toEqual([409, 'CONFLICT', 'couponId']);
    expect(await api.database.subscription.count()).toBe(before + 1);
  });

  it('enforces the limit of redemptions, even concurrently', async () => {
    const coupon = await makeCoupon({ maxRedemptions: 2 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => subscribe({ couponId: coupon.id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409, 409]);
    expect((await readCoupon(coupon.id)).redemptionCount).toBe(2);
  });
});

describe('a payment link for a SUBSCRIPTION plan', () => {
  const OFFER = `query ($slug: String!) { linkOffer(slug: $slug) { amount discountAmount couponName coupon {
    percentOffBps duration durationPeriods laterAmount } } }`;
  const subscriptionOf = (session: { id: string }) =>
    api.database.subscription.findFirstOrThrow({
      where: { checkoutSessions: { some: { id: session.id } } },
      include: { redemptions: true },
    });

  it('applies its own coupon, and displays the later price', async () => {
    const coupon = await makeCoupon({ duration: 'REPEATING', durationPeriods: 2, maxRedemptions: 1 });
    const { slug } = await makeLink({ couponId: coupon.id });
    const offer = async () => (await api.graphql(OFFER, { slug })).data.linkOffer;
    expect(await offer()).toEqual({
      amount: '10.00',
      discountAmount: '10.00',
      couponName: 'Half',
      coupon: { percentOffBps: 5_000, duration: 'REPEATING', durationPeriods: 2, laterAmount: '20.00' },
    });
    const { data } = (await start(slug)).body;
    expect(data).toMatchObject({ mode: 'SUBSCRIPTION', amount: '10.00', couponId: coupon.id });
    expect(await subscriptionOf(data)).toMatchObject({
      couponId: coupon.id,
      couponPeriodsLeft: 2,
      redemptions: [{ status: 'HELD', couponId: coupon.id, sessionId: null }],
    });
    // After the last redemption, the link sells at the full price.
    expect(await offer()).toMatchObject({ amount: '20.00', couponName: null, coupon: null });
    const full = (await start(slug)).body.data;
    expect(full).toMatchObject({ amount: '20.00', couponId: null });
    expect(await subscriptionOf(full)).toMatchObject({ couponId: null, redemptions: [] });
    await api.rest('POST', `/checkout-sessions/${data.id}/expire`, { key });
    expect((await readCoupon(coupon.id)).redemptionCount).toBe(0);
    expect(await offer()).toMatchObject({ amount: '10.00' });
  });

  it("accepts a payer's code only if it allows codes", async () => {
    const [own, other] = [await makeCoupon({ percentOffBps: 1_000 }), await makeCoupon()];
    const closed = await makeLink();
    const refused = await start(closed.slug, { couponCode: other.code });
    expect(verdict(refused)).toEqual([400, 'VALIDATION_ERROR', 'couponCode']);
    const open = await makeLink({ couponId: own.id, allowCouponCodes: true });
    expect((await start(open.slug, { couponCode: other.code })).body.data).toMatchObject({
      amount: '10.00',
      couponId: other.id,
    });
    expect(verdict(await start(open.slug, { couponCode: 'NOBODY' }))).toEqual([404, 'NOT_FOUND', 'couponCode']);
    const theirs = await makeCoupon({}, foreign);
    expect(verdict(await start(open.slug, { couponCode: theirs.code }))).toEqual([404, 'NOT_FOUND', 'couponCode']);
    const free = await makeCoupon({ percentOffBps: 10_000 });
    expect(verdict(await start(open.slug, { couponCode: free.code }))).toEqual([400, 'VALIDATION_ERROR', 'couponCode']);
    const details = { email: 'same@example.com' };
    const limited = await makeCoupon({ maxRedemptionsPerCustomer: 1 });
    const begin = () => start(open.slug, { couponCode: limited.code, billingDetails: details });
    expect((await begin()).status).toBe(200);
    expect(verdict(await begin())).toEqual([409, 'CONFLICT', 'couponCode']);
  });

  it("accepts the merchant's own coupon in POST /checkout-sessions, whether it allows codes or not", async () => {
    const coupon = await makeCoupon({ duration: 'FOREVER' });
    const { id } = await makeLink();
    const body = { paymentLinkId: id, couponId: coupon.id, customerAccountId };
    const session = await create('/checkout-sessions', body);
    expect(session).toMatchObject({ amount: '10.00', couponId: coupon.id, mode: 'SUBSCRIPTION' });
    expect(await subscriptionOf(session)).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: null });
    const theirs = await makeCoupon({}, foreign);
    const refused = await api.rest('POST', '/checkout-sessions', { key, body: { ...body, couponId: theirs.id } });
    expect(verdict(refused)).toEqual([404, 'NOT_FOUND', 'couponId']);
  });

  it('can be free after its trial', async () => {
    const trial = await makePlan({ trialPeriodDays: 14 });
    const coupon = await makeCoupon({ percentOffBps: 10_000, duration: 'REPEATING', durationPeriods: 2 });
    const { slug } = await makeLink({ productPlanId: trial.id, couponId: coupon.id });
    const { data } = (await start(slug)).body;
    expect(data).toMatchObject({ amount: '0.00', discountAmount: '20.00', paymentIntentId: null });
    const options = await api.rest('GET', `/checkout-sessions/${data.id}/options`, { key });
    expect(options.status).toBe(200);
  });
});

describe('POST and DELETE /subscriptions/:id/coupon', () => {
  it('apply and remove a coupon, and record each in the audit log', async () => {
    const id = await started();
    const coupon = await makeCoupon({ duration: 'REPEATING', durationPeriods: 4 });
    const applied = await apply(id, { couponCode: coupon.code.toLowerCase() });
    expect(applied.body.data).toMatchObject({ id, couponId: coupon.id, couponPeriodsLeft: 4, status: 'ACTIVE' });
    const query = 'query ($id: ID!) { subscription(id: $id) { couponPeriodsLeft coupon { name } } }';
    expect((await api.graphql(query, { id }, { key })).data.subscription).toEqual({
      couponPeriodsLeft: 4,
      coupon: { name: 'Half' },
    });
    expect((await remove(id)).status).toBe(204);
    expect((await remove(id)).status).toBe(204);
    const { data } = (await api.rest('GET', `/subscriptions/${id}`, { key })).body;
    expect(data).toMatchObject({ couponId: null, couponPeriodsLeft: null });
    const log = await api.database.auditEntry.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } });
    expect(log.map(({ action }) => action)).toEqual([
      'subscription.created',
      'subscription.coupon_applied',
      'subscription.coupon_removed',
    ]);
  });

  it('name invalid parameters', async () => {
    const id = await started();
    const coupon = await makeCoupon();
    const theirs = await makeCoupon({}, foreign);
    expect(verdict(await apply(id, {}))).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
    const both = { couponId: coupon.id, couponCode: coupon.code };
    expect(verdict(await apply(id, both))).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
    expect(verdict(await apply(id, { couponId: theirs.id }))).toEqual([404, 'NOT_FOUND', 'couponId']);
    expect(verdict(await apply(UNKNOWN, { couponId: coupon.id }))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(verdict(await apply(id, { couponId: theirs.id }, {}, foreign))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(verdict(await remove(id, foreign))).toEqual([404, 'NOT_FOUND', undefined]);
    const used = await makeCoupon({ maxRedemptions: 1 });
    await apply(await started(), { couponId: used.id });
    expect(verdict(await apply(id, { couponId: used.id }))).toEqual([409, 'CONFLICT', 'couponId']);
    const past = await makeCoupon({ expiresAt: '2020-01-01T00:00:00Z' });
    expect(verdict(await apply(id, { couponCode: past.code }))).toEqual([410, 'EXPIRED', 'couponCode']);
    for (const status of ['PENDING', 'CANCELLED'] as const) {
      await api.database.subscription.update({ where: { id }, data: { status } });
      expect(verdict(await apply(id, { couponId: coupon.id }))).toEqual([409, 'INVALID_STATE', undefined]);
      expect(verdict(await remove(id))).toEqual([409, 'INVALID_STATE', undefined]);
    }
  });

  it('require a secret key, and are replayed for the same idempotency key', async () => {
    const id = await started();
    const coupon = await makeCoupon();
    const body = { couponId: coupon.id };
    const { publishableKey } = api.merchantA;
    expect((await api.rest('POST', `/subscriptions/${id}/coupon`, { body })).status).toBe(401);
    expect((await api.rest('DELETE', `/subscriptions/${id}/coupon`, {})).status).toBe(401);
    expect((await apply(id, body, {}, publishableKey)).status).toBe(403);
    expect((await remove(id, publishableKey)).status).toBe(403);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await apply(id, body, headers);
    await api.database.subscription.update({ where: { id }, data: { couponPeriodsLeft: 0 } });
    expect((await apply(id, body, headers)).body.data).toEqual(first.body.data);
    expect((await readCoupon(coupon.id)).redemptionCount).toBe(1);
    // Without the key, a coupon that has ended is redeemed again.
    expect((await apply(id, body)).body.data.couponPeriodsLeft).toBe(1);
    expect((await readCoupon(coupon.id)).redemptionCount).toBe(2);
    expect((await apply(id, { couponCode: coupon.code }, headers)).status).toBe(422);
  });
});
