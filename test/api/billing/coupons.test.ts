/** Coupons over the API: their fields, the checkouts that redeem them, and limits under concurrency. */
import { beforeAll, describe, expect, it } from 'vitest';
import { completeCheckoutSession } from '../../../src/checkout/end/complete-checkout-session.ts';
import { endOverdueSession } from '../../../src/checkout/end/end-overdue-session.ts';
import { reopenCheckoutSession } from '../../../src/checkout/end/reopen-checkout-session.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-000000000000';

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

const post = (fields: object = {}, headers: Record<string, string> = {}) => {
  count += 1;
  const body = { name: 'Spring', code: `spring-${count}`, percentOffBps: 2_500, ...fields };
  return api.rest('POST', '/coupons', { key, body, headers });
};
const make = async (fields: object = {}) => (await post(fields)).body.data;
const read = async (id: string) => (await api.rest('GET', `/coupons/${id}`, { key })).body.data;
const put = (id: string, body: object, caller = key) => api.rest('PUT', `/coupons/${id}`, { key: caller, body });
const open = (body: object, caller = key) => api.rest('POST', '/checkout-sessions', { key: caller, body });
const tea = { name: 'Tea', amount: '10.00' };
const link = async (fields: object = {}) => {
  count += 1;
  const body = { appId, name: 'Tea', slug: `tea-${count}`, amount: '10.00', ...fields };
  return (await api.rest('POST', '/payment-links', { key, body })).body.data;
};
const start = (slug: string, body: object = {}) => api.rest('POST', `/payment-links/${slug}/checkout`, { body });
const verdict = ({ status, body }: { status: number; body: { error?: { code: string; param?: string } } }) => [
  status,
  body.error?.code,
  body.error?.param,
];
const setPaid = (session: { paymentIntentId: string }, termsHash: string | null) =>
  api.database.paymentIntent.update({
    where: { id: session.paymentIntentId },
    data: { acceptedTermsHash: termsHash, status: termsHash === null ? 'CREATED' : 'CAPTURED' },
  });
const pay = async (session: { paymentIntentId: string }) => {
  await setPaid(session, `0x${session.paymentIntentId}`);
  await completeCheckoutSession(api.world, { paymentIntentId: session.paymentIntentId });
};
const expire = (session: { id: string; expiresAt: string }) =>
  endOverdueSession({ ...api.world, clock: { now: () => new Date(session.expiresAt) } }, { sessionId: session.id });

describe('a coupon', () => {
  it('is created, read, listed, updated, archived and restored', async () => {
    const made = await make({ code: ' summer-26 ', maxRedemptions: 5, expiresAt: '2099-01-01T00:00:00.000Z' });
    expect(made).toMatchObject({
      appId,
      name: 'Spring',
      code: 'SUMMER-26',
      percentOffBps: 2_500,
      amountOff: null,
      currency: null,
      maxRedemptions: 5,
      maxRedemptionsPerCustomer: null,
      expiresAt: '2099-01-01T00:00:00.000Z',
      redemptionCount: 0,
      isActive: true,
      metadata: {},
    });
    expect(await read(made.id)).toEqual(made);
    const changed = await put(made.id, { name: 'Summer', maxRedemptions: null });
    expect(changed.body.data).toMatchObject({ name: 'Summer', maxRedemptions: null, code: 'SUMMER-26' });
    expect((await api.rest('DELETE', `/coupons/${made.id}`, { key })).status).toBe(204);
    const ids = async (query: string) =>
      (await api.rest('GET', `/coupons?${query}`, { key })).body.data.map((row: { id: string }) => row.id);
    expect(await ids('isActive=false')).toEqual([made.id]);
    expect(await ids('isActive=true')).not.toContain(made.id);
    expect((await put(made.id, { isActive: true })).body.data.isActive).toBe(true);
    expect(await make({ percentOffBps: null, amountOff: '5' })).toMatchObject({ amountOff: '5.00', currency: 'USD' });
  });

  it('is refused with every invalid field named, and its discount cannot be changed', async () => {
    const params = async (fields: object) =>
      (await post(fields)).body.error?.details.map((fault: { param: string }) => fault.param);
    expect(await params({ name: '', code: 'no spaces', maxRedemptions: 0 })).toEqual([
      'name',
      'code',
      'maxRedemptions',
    ]);
    expect(await params({ amountOff: '1' })).toEqual(['percentOffBps']);
    expect(await params({ percentOffBps: null })).toEqual(['percentOffBps']);
    expect(await params({ percentOffBps: 10_001 })).toEqual(['percentOffBps']);
    expect(await params({ currency: 'EUR' })).toEqual(['currency']);
    expect((await put((await make()).id, { percentOffBps: 1 })).status).toBe(400);
  });

  it('has a unique code in its app, and is created once for an idempotency key', async () => {
    const { code } = await make();
    expect(verdict(await post({ code: code.toLowerCase() }))).toEqual([409, 'CONFLICT', 'code']);
    const theirs = await api.rest('POST', '/coupons', { key: foreign, body: { name: 'S', code, percentOffBps: 1 } });
    expect(theirs.status).toBe(200);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await post({ code: 'ONCE', expiresAt: '2099-01-01T00:00:00Z' }, headers);
    const again = await post({ code: 'ONCE', expiresAt: '2099-01-01T00:00:00Z' }, headers);
    expect(again.body.data).toEqual(first.body.data);
    expect((await post({ code: 'OTHER' }, headers)).status).toBe(422);
  });

  it("requires the merchant's own secret key", async () => {
    const { id } = await make();
    for (const [method, path, body] of [
      ['POST', '/coupons', { name: 'S', percentOffBps: 1 }],
      ['GET', `/coupons/${id}`, undefined],
      ['PUT', `/coupons/${id}`, { name: 'S' }],
      ['DELETE', `/coupons/${id}`, undefined],
    ] as const) {
      const call = (caller?: string) =>
        api.rest(method, path, { ...(caller ? { key: caller } : {}), ...(body ? { body } : {}) });
      expect((await call()).status, path).toBe(401);
      expect((await call(api.merchantA.publishableKey)).status, path).toBe(403);
      if (path !== '/coupons') expect((await call(foreign)).status, path).toBe(404);
    }
  });
});

describe('a checkout session with a coupon', () => {
  it('is discounted before tax, and its intent has the reduced amount', async () => {
    const rate = await api.rest('POST', '/tax-rates', { key, body: { displayName: 'VAT', percentage: 20 } });
    const coupon = await make();
    const items = [{ ...tea, quantity: 2 }, tea];
    const { body } = await open({ items, taxRateId: rate.body.data.id, couponId: coupon.id });
    expect(body.data).toMatchObject({
      amount: '27.00',
      subtotal: '22.50',
      taxAmount: '4.50',
      discountAmount: '7.50',
      couponId: coupon.id,
      items: [
        { amount: '10.00', quantity: 2, discountAmount: '5.00', taxAmount: '3.00' },
        { amount: '10.00', quantity: 1, discountAmount: '2.50', taxAmount: '1.50' },
      ],
    });
    const intent = await api.database.paymentIntent.findUniqueOrThrow({ where: { id: body.data.paymentIntentId } });
    expect(intent.amount.toFixed(2)).toBe('27.00');
    expect((await read(coupon.id)).redemptionCount).toBe(1);
    expect((await open({ items: [tea] })).body.data).toMatchObject({ discountAmount: '0.00', couponId: null });
  });

  it('accepts a coupon by its code, and refuses one that does not apply', async () => {
    const coupon = await make();
    expect((await open({ items: [tea], couponCode: coupon.code.toLowerCase() })).body.data.amount).toBe('7.50');
    expect(verdict(await open({ items: [tea], couponCode: 'NOBODY' }))).toEqual([404, 'NOT_FOUND', 'couponCode']);
    expect(verdict(await open({ items: [tea], couponId: UNKNOWN }))).toEqual([404, 'NOT_FOUND', 'couponId']);
    expect(verdict(await open({ items: [tea], couponId: coupon.id }, foreign))).toEqual([404, 'NOT_FOUND', 'couponId']);
    const both = { items: [tea], couponId: coupon.id, couponCode: coupon.code };
    expect(verdict(await open(both))).toEqual([400, 'VALIDATION_ERROR', 'couponCode']);
    const euros = await make({ percentOffBps: null, amountOff: '1', currency: 'EUR' });
    expect(verdict(await open({ items: [tea], couponId: euros.id }))).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
    const past = await make({ expiresAt: '2020-01-01T00:00:00Z' });
    expect(verdict(await open({ items: [tea], couponId: past.id }))).toEqual([410, 'EXPIRED', 'couponId']);
    await api.rest('DELETE', `/coupons/${coupon.id}`, { key });
    expect(verdict(await open({ items: [tea], couponId: coupon.id }))).toEqual([409, 'INVALID_STATE', 'couponId']);
    const ofIntent = await open({ paymentIntentId: UNKNOWN, couponId: coupon.id });
    expect(verdict(ofIntent)).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
  });

  it('is refused if nothing is left to pay, and no redemption is counted', async () => {
    for (const fields of [{ percentOffBps: 10_000 }, { percentOffBps: null, amountOff: '10.00' }]) {
      const coupon = await make(fields);
      expect(verdict(await open({ items: [tea], couponId: coupon.id }))).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
      expect((await read(coupon.id)).redemptionCount).toBe(0);
    }
  });
});

describe("a coupon's limits", () => {
  it('are enforced across concurrent sessions', async () => {
    const coupon = await make({ maxRedemptions: 3 });
    const answers = await Promise.all(Array.from({ length: 9 }, () => open({ items: [tea], couponId: coupon.id })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status !== 200).map(verdict)).toEqual(
      Array.from({ length: 6 }, () => [409, 'CONFLICT', 'couponId']),
    );
    expect((await read(coupon.id)).redemptionCount).toBe(3);
  });

  it('count redemptions by customer ID and by email address, even in concurrent sessions', async () => {
    const coupon = await make({ maxRedemptionsPerCustomer: 1 });
    const body = { appId, name: 'Ada', email: 'ada@example.com' };
    const { id } = (await api.rest('POST', '/customers', { key, body })).body.data;
    const of = (customerAccountId?: string) => open({ items: [tea], couponId: coupon.id, customerAccountId });
    const answers = await Promise.all(Array.from({ length: 5 }, () => of(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const same = await api.rest('POST', '/customers', { key, body: { ...body, email: 'ADA@example.com' } });
    expect(verdict(await of(same.body.data.id))).toEqual([409, 'CONFLICT', 'couponId']);
    const other = await api.rest('POST', '/customers', { key, body: { ...body, email: 'bob@example.com' } });
    expect((await of(other.body.data.id)).status).toBe(200);
    expect(verdict(await of())).toEqual([400, 'VALIDATION_ERROR', 'couponId']);
    expect((await read(coupon.id)).redemptionCount).toBe(2);
  });

  it('release an expired unpaid session once, and count a late payment again', async () => {
    const coupon = await make({ maxRedemptions: 1 });
    const redemptions = async () => (await read(coupon.id)).redemptionCount;
    const late = (await open({ items: [tea], couponId: coupon.id })).body.data;
    await expire(late);
    await expire(late);
    expect(await redemptions()).toBe(0);
    const next = (await open({ items: [tea], couponId: coupon.id })).body.data;
    await pay(next);
    await pay(next);
    expect(await redemptions()).toBe(1);
    await pay(late);
    expect(await redemptions()).toBe(2);
    await setPaid(late, null);
    await reopenCheckoutSession(
      { ...api.world, clock: { now: () => new Date(late.expiresAt) } },
      { paymentIntentId: late.paymentIntentId },
    );
    expect(await redemptions()).toBe(1);
    const { data } = await api.database.event.findFirstOrThrow({
      where: { resourceId: next.id, type: 'checkout_session.completed' },
    });
    expect(data).toMatchObject({ couponId: coupon.id, discountAmount: '2.50', amount: '7.50' });
  });
});

describe('a payment link', () => {
  it('applies its own coupon and displays the reduced price', async () => {
    const coupon = await make({ maxRedemptions: 1 });
    const { slug } = await link({ couponId: coupon.id, maximumQuantity: 2 });
    const query = `query ($slug: String!) { linkOffer(slug: $slug, quantity: 2) {
      amount discountAmount couponName unitAmount allowCouponCodes } }`;
    const offer = async () => (await api.graphql(query, { slug })).data.linkOffer;
    expect(await offer()).toEqual({
      amount: '15.00',
      discountAmount: '5.00',
      couponName: 'Spring',
      unitAmount: '10.00',
      allowCouponCodes: false,
    });
    expect((await start(slug, { quantity: 2 })).body.data).toMatchObject({ amount: '15.00', couponId: coupon.id });
    expect(await offer()).toMatchObject({ amount: '20.00', discountAmount: '0.00', couponName: null });
    expect((await start(slug)).body.data).toMatchObject({ amount: '10.00', couponId: null });
  });

  it('applies a payer’s code before its own coupon if it allows codes', async () => {
    const [own, other] = [await make({ percentOffBps: 1_000 }), await make()];
    const closed = await link();
    expect(verdict(await start(closed.slug, { couponCode: other.code }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'couponCode',
    ]);
    const opened = await link({ couponId: own.id, allowCouponCodes: true });
    expect((await start(opened.slug, { couponCode: ` ${other.code.toLowerCase()}` })).body.data).toMatchObject({
      amount: '7.50',
      couponId: other.id,
    });
    expect(verdict(await start(opened.slug, { couponCode: 'NOBODY' }))).toEqual([404, 'NOT_FOUND', 'couponCode']);
    const theirs = await api.rest('POST', '/coupons', {
      key: foreign,
      body: { name: 'S', code: 'THEIRS', percentOffBps: 1 },
    });
    expect(theirs.status).toBe(200);
    expect(verdict(await start(opened.slug, { couponCode: 'THEIRS' }))).toEqual([404, 'NOT_FOUND', 'couponCode']);
    const ofMerchant = await open({ paymentLinkId: closed.id, couponId: other.id });
    expect(ofMerchant.body.data).toMatchObject({ amount: '7.50', couponId: other.id });
  });

  it('applies a coupon limited per customer only to payers with an email address', async () => {
    const coupon = await make({ maxRedemptionsPerCustomer: 1 });
    const { slug } = await link({ couponId: coupon.id, allowCouponCodes: true });
    const named = { couponCode: coupon.code };
    for (const billingDetails of [undefined, { name: 'Ada' }, { name: 'Ada', email: null }]) {
      expect((await start(slug, { billingDetails })).body.data).toMatchObject({ amount: '10.00', couponId: null });
      const answer = await start(slug, { ...named, billingDetails });
      expect(verdict(answer)).toEqual([400, 'VALIDATION_ERROR', 'couponCode']);
    }
    expect((await read(coupon.id)).redemptionCount).toBe(0);
    const known = { billingDetails: { email: 'payer@example.com' } };
    expect((await start(slug, known)).body.data).toMatchObject({ amount: '7.50', couponId: coupon.id });
    expect((await start(slug, known)).body.data).toMatchObject({ amount: '10.00', couponId: null });
    expect(verdict(await start(slug, { ...named, ...known }))).toEqual([409, 'CONFLICT', 'couponCode']);
  });

  it('refuses another merchant’s coupon, and can combine a coupon with a subscription', async () => {
    const theirs = await api.rest('POST', '/coupons', { key: foreign, body: { name: 'S', percentOffBps: 1 } });
    const { id } = await link();
    const change = (body: object) => api.rest('PUT', `/payment-links/${id}`, { key, body });
    expect(verdict(await change({ couponId: theirs.body.data.id }))).toEqual([404, 'NOT_FOUND', 'couponId']);
    const own = await make();
    expect((await change({ couponId: own.id, allowCouponCodes: true })).body.data).toMatchObject({
      couponId: own.id,
      allowCouponCodes: true,
    });
    const prices = [{ amount: '5', billingInterval: 'MONTH', isDefault: true }];
    const plan = await api.rest('POST', '/product-plans', {
      key,
      body: { name: 'G', planType: 'SUBSCRIPTION', prices },
    });
    const sold = { amount: null, productPlanId: plan.body.data.id };
    expect((await change(sold)).body.data).toMatchObject({ couponId: own.id, allowCouponCodes: true });
  });
});
