/** The quantity that a payer chooses, and a stock that is held, sold and released, on a real database. */
import { beforeAll, describe, expect, it } from 'vitest';
import { completeCheckoutSession } from '../../../src/checkout/end/complete-checkout-session.ts';
import { endOverdueSession } from '../../../src/checkout/end/end-overdue-session.ts';
import { reopenCheckoutSession } from '../../../src/checkout/end/reopen-checkout-session.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
let appId: string;
let count = 0;
beforeAll(async () => {
  api = await openRestApi();
  ({ secretKey: key, appId } = api.merchantA);
});

const post = (fields: object = {}, caller: object = { key }) => {
  count += 1;
  const body = { appId, name: 'Ticket', slug: `ticket-${count}`, amount: '9.99', ...fields };
  return api.rest('POST', '/payment-links', { ...caller, body });
};
const make = async (fields: object = {}) => (await post(fields)).body.data;
const put = (id: string, body: object) => api.rest('PUT', `/payment-links/${id}`, { key, body });
const start = (slug: string, body: object = {}, headers: Record<string, string> = {}) =>
  api.rest('POST', `/payment-links/${slug}/checkout`, { body, headers });
const begin = async (slug: string, quantity?: number) =>
  (await start(slug, quantity === undefined ? {} : { quantity })).body.data;
const counts = async (id: string) => {
  const { data } = (await api.rest('GET', `/payment-links/${id}`, { key })).body;
  return { held: data.reservedQuantity, sold: data.soldQuantity, left: data.availableQuantity, uses: data.usageCount };
};
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
const eventsOf = async (linkId: string) =>
  (await api.database.event.findMany({ where: { resourceId: linkId }, orderBy: { sequence: 'asc' } })).map(
    ({ type }) => type,
  );
const offer = async (slug: string, quantity?: number) => {
  const query = `query ($slug: String!, $quantity: Int) { linkOffer(slug: $slug, quantity: $quantity) {
    amount subtotal taxAmount quantity unitAmount minimumQuantity maximumQuantity availableQuantity } }`;
  return (await api.graphql(query, { slug, quantity: quantity ?? null })).data.linkOffer;
};

describe('the quantities of a payment link', () => {
  it('are one unit of an unlimited stock unless they are given, and null restores that', async () => {
    const fresh = { minimumQuantity: 1, maximumQuantity: 1, stock: null, availableQuantity: null };
    const link = await make();
    expect(link).toMatchObject({ ...fresh, reservedQuantity: 0, soldQuantity: 0 });
    const changed = { minimumQuantity: 2, maximumQuantity: 5, stock: 10 };
    expect((await put(link.id, changed)).body.data).toMatchObject({ ...changed, availableQuantity: 10 });
    expect((await put(link.id, { name: 'Seat' })).body.data).toMatchObject(changed);
    const cleared = await put(link.id, { minimumQuantity: null, maximumQuantity: null, stock: null });
    expect(cleared.body.data).toMatchObject(fresh);
    expect(await make({ minimumQuantity: 6 })).toMatchObject({ minimumQuantity: 6, maximumQuantity: 6 });
  });

  it('are refused where they do not fit, with the field', async () => {
    const params = async (fields: object) => {
      const { status, body } = await post(fields);
      return [status, ...(body.error?.details ?? []).map((fault: { param: string }) => fault.param)];
    };
    expect(await params({ minimumQuantity: 3, maximumQuantity: 2 })).toEqual([400, 'maximumQuantity']);
    expect(await params({ minimumQuantity: 0 })).toEqual([400, 'minimumQuantity']);
    expect(await params({ maximumQuantity: 10_001 })).toEqual([400, 'maximumQuantity']);
    expect(await params({ stock: -1 })).toEqual([400, 'stock']);
    expect(await params({ amount: null, maximumQuantity: 2 })).toEqual([400, 'maximumQuantity']);
    const plan = await api.rest('POST', '/product-plans', {
      key,
      body: {
        name: 'Gold',
        planType: 'SUBSCRIPTION',
        prices: [{ amount: '5', billingInterval: 'MONTH', isDefault: true }],
      },
    });
    const sold = { amount: null, productPlanId: plan.body.data.id, productPlanPriceId: plan.body.data.prices[0].id };
    expect(await params({ ...sold, maximumQuantity: 2, stock: 1 })).toEqual([400, 'maximumQuantity', 'stock']);
    const link = await make({ maximumQuantity: 4 });
    expect((await put(link.id, { minimumQuantity: 5 })).body.error.param).toBe('maximumQuantity');
    expect((await put(link.id, { amount: null })).body.error.param).toBe('maximumQuantity');
  });

  it("need the merchant's own credential", async () => {
    const link = await make({ stock: 1 });
    const change = (caller: object) => api.rest('PUT', `/payment-links/${link.id}`, { ...caller, body: { stock: 5 } });
    expect((await change({})).status).toBe(401);
    expect((await change({ key: api.merchantA.publishableKey })).status).toBe(403);
    expect((await change({ key: api.merchantB.secretKey })).status).toBe(404);
  });
});

describe('a checkout of several units', () => {
  it('costs them, with the tax of the line, and carries them on the intent and the item', async () => {
    const rate = await api.rest('POST', '/tax-rates', { key, body: { displayName: 'VAT', percentage: 19 } });
    const link = await make({ minimumQuantity: 2, maximumQuantity: 5, taxRateId: rate.body.data.id });
    expect(await begin(link.slug, 3)).toMatchObject({
      amount: '35.66',
      subtotal: '29.97',
      taxAmount: '5.69',
      items: [{ amount: '9.99', quantity: 3, taxAmount: '5.69' }],
    });
    expect(await offer(link.slug, 3)).toEqual({
      amount: '35.66',
      subtotal: '29.97',
      taxAmount: '5.69',
      quantity: 3,
      unitAmount: '9.99',
      minimumQuantity: 2,
      maximumQuantity: 5,
      availableQuantity: null,
    });
    expect(await begin(link.slug)).toMatchObject({ subtotal: '19.98', items: [{ quantity: 2 }] });
    expect((await offer(link.slug, 99)).quantity).toBe(5);
  });

  it('refuses a quantity outside the limits, and a total that is too large', async () => {
    const link = await make({ minimumQuantity: 2, maximumQuantity: 5 });
    for (const quantity of [1, 6, 0, 1.5]) {
      const { status, body } = await start(link.slug, { quantity });
      expect([status, body.error.code], String(quantity)).toEqual([400, 'VALIDATION_ERROR']);
    }
    const gold = await make({ amount: '999999999999.99', maximumQuantity: 2 });
    expect((await start(gold.slug, { quantity: 2 })).body.error).toMatchObject({ param: 'quantity' });
    expect((await start('no-such-link', { quantity: 2 })).status).toBe(404);
  });

  it("is opened by the merchant too, for the merchant's links only", async () => {
    const link = await make({ maximumQuantity: 3, stock: 3 });
    const open = (body: object, caller = key) => api.rest('POST', '/checkout-sessions', { key: caller, body });
    const opened = await open({ paymentLinkId: link.id, quantity: 3 });
    expect(opened.body.data).toMatchObject({ amount: '29.97', items: [{ quantity: 3 }] });
    expect((await open({ paymentLinkId: link.id, quantity: 1 })).body.error).toMatchObject({ code: 'CONFLICT' });
    const stray = await open({ items: [{ name: 'Tea', amount: '1' }], quantity: 2 });
    expect([stray.status, stray.body.error.param]).toEqual([400, 'quantity']);
    expect((await open({ paymentLinkId: link.id, quantity: 1 }, api.merchantB.secretKey)).status).toBe(404);
  });
});

describe('the stock of a payment link', () => {
  it('is held by one of many payers who request the last unit concurrently', async () => {
    const link = await make({ stock: 1 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(link.slug)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.error.code, body.error.param])).toEqual(
      Array.from({ length: 7 }, () => [409, 'CONFLICT', 'quantity']),
    );
    expect(refused[0]?.body.error.message).toBe('A quantity of 1 exceeds the 0 left in stock.');
    expect(await counts(link.id)).toEqual({ held: 1, sold: 0, left: 0, uses: 0 });
    expect((await offer(link.slug)).availableQuantity).toBe(0);
  });

  it('never holds more than there is, whatever quantities are wanted at once', async () => {
    const link = await make({ maximumQuantity: 3, stock: 10 });
    const wanted = [3, 2, 3, 1, 3, 2, 3, 3, 1, 2];
    const answers = await Promise.all(wanted.map((quantity) => start(link.slug, { quantity })));
    const got = answers.reduce((sum, { status }, index) => sum + (status === 200 ? (wanted[index] ?? 0) : 0), 0);
    expect(got).toBeGreaterThan(7);
    expect(got).toBeLessThanOrEqual(10);
    expect(await counts(link.id)).toEqual({ held: got, sold: 0, left: 10 - got, uses: 0 });
  });

  it('is held once for a request that is repeated with its key', async () => {
    const link = await make({ maximumQuantity: 2, stock: 2 });
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await start(link.slug, { quantity: 2 }, headers);
    const again = await start(link.slug, { quantity: 2 }, headers);
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(await counts(link.id)).toMatchObject({ held: 2, left: 0 });
    expect((await start(link.slug, { quantity: 1 }, headers)).status).toBe(422);
  });

  it('is sold once when the session completes, and an event reports when nothing is left', async () => {
    const link = await make({ maximumQuantity: 3, stock: 3 });
    const [one, two] = [await begin(link.slug, 1), await begin(link.slug, 2)];
    await pay(one);
    await pay(one);
    expect(await counts(link.id)).toEqual({ held: 2, sold: 1, left: 0, uses: 1 });
    expect(await eventsOf(link.id)).toEqual([]);
    await pay(two);
    expect(await counts(link.id)).toEqual({ held: 0, sold: 3, left: 0, uses: 2 });
    expect(await eventsOf(link.id)).toEqual(['payment_link.sold_out']);
  });

  it('is released when the session expires or the merchant ends it', async () => {
    const link = await make({ maximumQuantity: 2, stock: 2 });
    const overdue = await begin(link.slug, 2);
    await expire(overdue);
    await expire(overdue);
    expect(await counts(link.id)).toEqual({ held: 0, sold: 0, left: 2, uses: 0 });
    const ended = await begin(link.slug, 2);
    expect((await start(link.slug)).status).toBe(409);
    await api.rest('POST', `/checkout-sessions/${ended.id}/expire`, { key });
    expect(await counts(link.id)).toEqual({ held: 0, sold: 0, left: 2, uses: 0 });
    expect((await start(link.slug)).status).toBe(200);
  });

  it('is oversold by a late payment of an expired session, which counts all the same', async () => {
    const link = await make({ stock: 1 });
    const late = await begin(link.slug);
    await expire(late);
    const other = await begin(link.slug);
    await pay(other);
    await pay(late);
    expect(await counts(link.id)).toEqual({ held: 0, sold: 2, left: -1, uses: 2 });
    expect(await eventsOf(link.id)).toEqual(['payment_link.sold_out', 'payment_link.oversold']);
    const { data } = await api.database.event.findFirstOrThrow({
      where: { resourceId: link.id, type: 'payment_link.oversold' },
    });
    expect(data).toMatchObject({ stock: 1, soldQuantity: 2, availableQuantity: -1 });
    expect((await start(link.slug)).body.error.message).toBe('A quantity of 1 exceeds the 0 left in stock.');
    expect((await put(link.id, { stock: 3 })).body.data.availableQuantity).toBe(1);
  });

  it('is held again when a reorganization removes the payment, or released if the session is over', async () => {
    const link = await make({ maximumQuantity: 2, stock: 2 });
    const session = await begin(link.slug, 2);
    await pay(session);
    await setPaid(session, null);
    await reopenCheckoutSession(api.world, { paymentIntentId: session.paymentIntentId });
    expect(await counts(link.id)).toEqual({ held: 2, sold: 0, left: 0, uses: 0 });
    await pay(session);
    await setPaid(session, null);
    const after = { ...api.world, clock: { now: () => new Date(session.expiresAt) } };
    await reopenCheckoutSession(after, { paymentIntentId: session.paymentIntentId });
    expect(await counts(link.id)).toEqual({ held: 0, sold: 0, left: 2, uses: 0 });
  });

  it('counts the sessions that were open before it was set, and may be lowered below them', async () => {
    const link = await make({ maximumQuantity: 5 });
    await begin(link.slug, 5);
    expect((await put(link.id, { stock: 4 })).body.data).toMatchObject({ reservedQuantity: 5, availableQuantity: -1 });
    expect((await offer(link.slug)).availableQuantity).toBe(0);
    expect((await start(link.slug)).status).toBe(409);
  });

  it('is counted up to a limit that no checkout exceeds, even if it is unlimited, and no payment fails at', async () => {
    const most = 2_000_000_000;
    const set = (id: string, data: object) => api.database.paymentLink.update({ where: { id }, data });
    const link = await make({ maximumQuantity: 10_000 });
    expect((await start(link.slug, { quantity: 10_001 })).status).toBe(400);
    await set(link.id, { reservedQuantity: most - 10_003, soldQuantity: 3 });
    const last = await begin(link.slug, 10_000);
    const refused = await start(link.slug, { quantity: 1 });
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([409, 'CONFLICT', 'quantity']);
    await set(link.id, { soldQuantity: most - 1 });
    expect((await start(link.slug)).body.error).toMatchObject({ code: 'CONFLICT', param: 'quantity' });
    await pay(last);
    expect(await counts(link.id)).toMatchObject({ held: most - 10_003, sold: most, uses: 1 });
    await set(link.id, { stock: 1 });
    expect(await counts(link.id)).toMatchObject({ left: -most });
    expect((await start(link.slug)).body.error.message).toBe('A quantity of 1 exceeds the 0 left in stock.');
  });

  it.each([
    [2_000_000_000, 0],
    [0, 2_000_000_000],
    [2_000_000_000, 2_000_000_000],
    [2_147_483_647, 2_147_483_647],
  ])('of which %i units are held and %i are sold is shown and changed without a fault', async (held, sold) => {
    const link = await make({ maximumQuantity: 10_000 });
    const [paid, expired] = [await begin(link.slug), await begin(link.slug)];
    for (const stock of [null, 0, 1_000_000_000]) {
      const data = { stock, reservedQuantity: held, soldQuantity: sold };
      await api.database.paymentLink.update({ where: { id: link.id }, data });
      const attempts = [
        await api.rest('GET', `/payment-links/${link.id}`, { key }),
        await api.rest('GET', '/payment-links', { key }),
        await put(link.id, { stock }),
        await start(link.slug, { quantity: 1 }),
        await start(link.slug, { quantity: 10_000 }),
        await start(link.slug, { quantity: 2_147_483_648 }),
        await api.rest('POST', '/checkout-sessions', { key, body: { paymentLinkId: link.id, quantity: 2 } }),
      ];
      expect(attempts.map(({ status }) => status)).toEqual([200, 200, 200, 409, 409, 400, 409]);
      expect(await offer(link.slug)).toMatchObject({ amount: '9.99' });
    }
    await pay(paid);
    await api.rest('POST', `/checkout-sessions/${expired.id}/expire`, { key });
    expect(await counts(link.id)).toMatchObject({ uses: 1, sold: Math.min(sold + 1, 2_000_000_000) });
  });

  it('does not hinder a session whose link was deleted', async () => {
    const link = await make({ stock: 1 });
    const session = await begin(link.slug);
    await api.rest('DELETE', `/payment-links/${link.id}`, { key });
    await pay(session);
    expect((await api.database.checkoutSession.findUniqueOrThrow({ where: { id: session.id } })).status).toBe(
      'COMPLETE',
    );
  });
});
