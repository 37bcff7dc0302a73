/** The outcomes of usage over the API for each caller. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { memberOf } from '../../setup/database/node-rows.ts';

const METERING = { scheme: 'PER_UNIT', unitName: 'API call', unitAmount: '0.001', capAmount: '50' };
const DAY_MS = 86_400_000;

let api: RestApi;
let key: string;
let appId: string;
let planId: string;
let customerId: string;
beforeAll(async () => {
  api = await openRestApi();
  ({ secretKey: key, appId } = api.merchantA);
  customerId = (await api.rest('POST', '/customers', { key, body: { appId, name: 'Ada' } })).body.data.id;
  planId = (await makePlan([{ amount: '5', billingInterval: 'MONTH', metering: METERING }])).body.data.id;
});

const makePlan = (prices: object[], planType = 'SUBSCRIPTION') =>
  api.rest('POST', '/product-plans', { key, body: { name: 'Metered', planType, prices } });
const record = (events: unknown, caller: string | undefined = key, headers = {}) =>
  api.rest('POST', '/usage', { key: caller, body: { events }, headers });
const faultsOf = ({ body }: { body: { error: { details: { param: string; message: string }[] } } }) =>
  body.error.details.map(({ param, message }) => `${param}: ${message}`);

/** An ACTIVE subscription in the middle of its period. */
async function subscribe(fields: object = {}, priceOf = planId): Promise<{ id: string; start: Date; end: Date }> {
  const price = await api.database.productPlanPrice.findFirstOrThrow({ where: { productPlanId: priceOf } });
  const [start, end] = [-10, 20].map((days) => new Date(api.clock.now().getTime() + days * DAY_MS)) as [Date, Date];
  const { id } = await api.database.subscription.create({
    data: {
      id: newId(),
      appId,
      customerAccountId: customerId,
      productPlanId: priceOf,
      productPlanPriceId: price.id,
      status: 'ACTIVE',
      currentPeriodStart: start,
      currentPeriodEnd: end,
      billingCycleAnchor: start,
      ...fields,
    },
  });
  return { id, start, end };
}
const eventOf = (subscriptionId: string, fields: object = {}) => ({
  eventId: newId(),
  subscriptionId,
  quantity: '1',
  ...fields,
});
const usageOf = async (id: string) => (await api.rest('GET', `/subscriptions/${id}/usage`, { key })).body.data;

describe('a metered price', () => {
  it('is created and returned unchanged', async () => {
    const tiers = [
      { upTo: '1000', unitAmount: '0.01', flatAmount: null },
      { upTo: null, unitAmount: '0.005', flatAmount: '2.5' },
    ];
    const metering = { scheme: 'GRADUATED', unitName: 'GB', includedUnits: '10.5', tiers, capAmount: '80' };
    const body = { amount: '0', priceType: 'METERED', billingInterval: 'MONTH', metering };
    const made = await api.rest('POST', `/product-plans/${planId}/prices`, { key, body });
    expect(made.status).toBe(200);
    expect(made.body.data).toMatchObject({
      amount: '0.00',
      priceType: 'METERED',
      metering: { ...metering, unitAmount: null },
    });
    const plan = (await api.rest('GET', `/product-plans/${planId}`, { key })).body.data;
    expect(plan.prices.map((price: { priceType: string }) => price.priceType)).toEqual(['METERED', 'METERED']);
    const fixed = (await makePlan([{ amount: '3' }], 'ONE_TIME')).body.data.prices[0];
    expect(fixed).toMatchObject({ priceType: 'FIXED', metering: null, amount: '3.00' });
  });

  it('is refused with all errors at once', async () => {
    const wrong = await makePlan([
      { amount: '0', billingInterval: 'MONTH' },
      { amount: '5', billingInterval: 'MONTH', priceType: 'METERED' },
      { amount: '5', billingInterval: 'MONTH', priceType: 'FIXED', metering: METERING },
      { amount: '60', billingInterval: 'MONTH', metering: { ...METERING, unitAmount: '-1' } },
      { amount: '60', billingInterval: 'MONTH', metering: METERING },
    ]);
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(wrong.body.error.details)).toContain('prices[3].metering.unitAmount');
    const limits = await makePlan([
      { amount: '0', billingInterval: 'MONTH', isDefault: true },
      { amount: '5', billingInterval: 'MONTH', priceType: 'METERED' },
      { amount: '5', billingInterval: 'MONTH', priceType: 'FIXED', metering: METERING },
      { amount: '60', billingInterval: 'MONTH', metering: METERING },
    ]);
    expect(faultsOf(limits)).toEqual([
      'prices[0].amount: more than zero',
      'prices[1].metering: is required for a METERED price',
      'prices[2].metering: cannot be combined with a FIXED price',
      'prices[3].metering.capAmount: at least the amount of 60',
    ]);
    const once = await makePlan([{ amount: '5', metering: METERING }], 'ONE_TIME');
    expect(faultsOf(once)).toEqual(['prices[0].metering: is not allowed for a ONE_TIME plan']);
  });
});

describe('POST /usage', () => {
  it('records a batch and sums it exactly', async () => {
    const { id, start, end } = await subscribe();
    const events = [
      eventOf(id, { quantity: '0.000000000001' }),
      eventOf(id, { quantity: '1234567.5', timestamp: start.toISOString() }),
      eventOf(id, { quantity: '0.1' }),
      eventOf(id, { quantity: '0.2' }),
    ];
    const { status, body } = await record(events);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      accepted: 4,
      duplicates: 0,
      rejected: 0,
      results: events.map(({ eventId }) => ({ eventId, status: 'ACCEPTED', error: null })),
    });
    expect(await usageOf(id)).toMatchObject([
      {
        periodStart: start.toISOString(),
        periodEnd: end.toISOString(),
        quantity: '1234567.800000000001',
        unitName: 'API call',
        eventCount: 4,
        amount: '1234.57',
        currency: 'USD',
        closedAt: null,
      },
    ]);
  });

  it('counts a repeated event once, within a batch and in concurrent batches', async () => {
    const { id } = await subscribe();
    const events = Array.from({ length: 50 }, () => eventOf(id, { quantity: '2.5' }));
    const shuffled = events.toReversed();
    const answers = await Promise.all([record(events), record(shuffled), record([...events, ...shuffled])]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const counts = answers.map(({ body }) => body.data);
    expect(counts.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(50);
    expect(counts.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(150);
    expect(await usageOf(id)).toMatchObject([{ quantity: '125.00', eventCount: 50 }]);
  });

  it('names a repeated ID with different content, and records nothing from it', async () => {
    const [{ id, start }, other] = [await subscribe(), await subscribe()];
    const first = eventOf(id, { quantity: '1.50', timestamp: start.toISOString() });
    await record([first]);
    const { body } = await record([
      { ...first, quantity: '1.5' },
      { ...first, quantity: '2' },
      { ...first, subscriptionId: other.id },
      { ...first, timestamp: new Date(start.getTime() + 1).toISOString() },
      { eventId: first.eventId, subscriptionId: id, quantity: '1.5' },
    ]);
    expect(body.data).toMatchObject({ accepted: 0, duplicates: 1, rejected: 4 });
    const outcomes = body.data.results.map(({ error }: { error: { code: string; param: string } | null }) =>
      error === null ? null : `${error.code} ${error.param}`,
    );
    expect(outcomes).toEqual([
      null,
      'CONFLICT events[1].quantity',
      'CONFLICT events[2].subscriptionId',
      'CONFLICT events[3].timestamp',
      'CONFLICT events[4].timestamp',
    ]);
    expect(await usageOf(id)).toMatchObject([{ quantity: '1.50', eventCount: 1 }]);
    const unstamped = eventOf(id);
    await record([unstamped]);
    api.clock.advance(60);
    expect((await record([unstamped])).body.data).toMatchObject({ duplicates: 1 });
  });

  it('rejects single events with a code, and accepts the others', async () => {
    const [{ id, start, end }, foreign] = [await subscribe(), await subscribe({ appId: api.merchantB.appId })];
    const pending = await subscribe({ status: 'PENDING', currentPeriodStart: null, currentPeriodEnd: null });
    const fixedPlan = (await makePlan([{ amount: '5', billingInterval: 'MONTH' }])).body.data.id;
    const fixed = await subscribe({}, fixedPlan);
    const ended = await subscribe({ status: 'CANCELLED', cancelledAt: new Date(start.getTime() + DAY_MS) });
    const ending = await subscribe({ cancelAt: new Date(start.getTime() + DAY_MS), cancelAtPeriodEnd: true });
    const closed = await subscribe();
    const justBefore = (at: Date) => ({ timestamp: new Date(at.getTime() - 1).toISOString() });
    await api.database.usagePeriod.create({
      data: {
        id: newId(),
        subscriptionId: closed.id,
        productPlanPriceId: (await api.database.subscription.findUniqueOrThrow({ where: { id } })).productPlanPriceId,
        startsAt: new Date(closed.start.getTime() - 30 * DAY_MS),
        endsAt: closed.start,
        closedAt: closed.start,
      },
    });
    const { status, body } = await record([
      eventOf(id),
      eventOf(foreign.id),
      eventOf(newId()),
      eventOf(pending.id),
      eventOf(fixed.id),
      eventOf(id, justBefore(start)),
      eventOf(closed.id, justBefore(closed.start)),
      eventOf(closed.id, { timestamp: closed.start.toISOString() }),
      eventOf(ended.id),
      eventOf(ended.id, { timestamp: start.toISOString() }),
      eventOf(ending.id),
    ]);
    expect(status).toBe(200);
    const outcomes = body.data.results.map(
      ({ status: outcome, error }: { status: string; error: { code: string } | null }) =>
        error ? error.code : outcome,
    );
    expect(outcomes).toEqual([
      'ACCEPTED',
      'NOT_FOUND',
      'NOT_FOUND',
      'NOT_STARTED',
      'NOT_METERED',
      'NOT_STARTED',
      'PERIOD_CLOSED',
      'ACCEPTED',
      'SUBSCRIPTION_ENDED',
      'PERIOD_CLOSED',
      'SUBSCRIPTION_ENDED',
    ]);
    // Another merchant's subscription is rejected exactly as one that does not exist.
    const [, theirs, missing] = body.data.results;
    expect({ ...theirs.error, param: '' }).toEqual({ ...missing.error, param: '' });
    expect(await api.database.usagePeriod.count({ where: { subscriptionId: foreign.id } })).toBe(0);
    expect(end > start).toBe(true);
  });

  it('assigns usage after the end of the period to the next one', async () => {
    const now = api.clock.now().getTime();
    const { id } = await subscribe({ currentPeriodEnd: new Date(now - 1000) });
    await record([
      eventOf(id, { quantity: '3', timestamp: new Date(now - 2000).toISOString() }),
      eventOf(id, { quantity: '4', timestamp: new Date(now - 1000).toISOString() }),
    ]);
    expect(await usageOf(id)).toMatchObject([
      { quantity: '4.00', periodEnd: null },
      { quantity: '3.00', periodEnd: new Date(now - 1000).toISOString() },
    ]);
  });

  it('names every invalid field and records nothing', async () => {
    const { id } = await subscribe();
    const bad = await record([
      eventOf(id),
      { eventId: '', subscriptionId: id, quantity: '0' },
      eventOf(id, { quantity: '1.0000000000001' }),
      eventOf(id, { quantity: '1000000000000' }),
      eventOf(id, { eventId: 'x'.repeat(256) }),
    ]);
    expect([bad.status, bad.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(bad.body.error.details.map(({ param }: { param: string }) => param)).toEqual([
      'events[1].eventId',
      'events[1].quantity',
      'events[2].quantity',
      'events[3].quantity',
      'events[4].eventId',
    ]);
    const late = new Date(api.clock.now().getTime() + 301_000).toISOString();
    const future = await record([eventOf(id), eventOf(id, { timestamp: late })]);
    expect(faultsOf(future)).toEqual(['events[1].timestamp: is more than 300 seconds in the future']);
    for (const events of [[], Array.from({ length: 1001 }, () => eventOf(id))]) {
      expect((await record(events)).status).toBe(400);
    }
    for (const quantity of [1, '1e3', '-1', '01', ' 1']) {
      expect((await record([eventOf(id, { quantity })])).status).toBe(400);
    }
    expect((await record([{ ...eventOf(id), tag: 'x' }])).status).toBe(400);
    expect(await usageOf(id)).toEqual([]);
  });

  it('refuses usage whose cost exceeds the maximum of an invoice', async () => {
    const plan = (
      await makePlan([{ amount: '5', billingInterval: 'MONTH', metering: { ...METERING, unitAmount: '999999999' } }])
    ).body.data.id;
    const { id } = await subscribe({}, plan);
    await record([eventOf(id, { quantity: '999' })]);
    const { status, body } = await record([eventOf(id, { quantity: '999999999999' })]);
    expect([status, body.error.details[0].param]).toEqual([400, 'events[0].quantity']);
    expect(await usageOf(id)).toMatchObject([{ quantity: '999.00', eventCount: 1 }]);
  });

  it('refuses usage whose cost with tax, base fee and the other open period exceeds that maximum', async () => {
    const rate = await api.rest('POST', '/tax-rates', { key, body: { displayName: 'VAT', percentage: 100 } });
    const large = { ...METERING, unitAmount: '1000000000', capAmount: '999999999999.99' };
    const prices = [{ amount: '100000000000', billingInterval: 'MONTH', metering: large }];
    const taxed = { name: 'Large', planType: 'SUBSCRIPTION', taxRateId: rate.body.data.id, prices };
    const plan = (await api.rest('POST', '/product-plans', { key, body: taxed })).body.data.id;
    const { id, start } = await subscribe({}, plan);
    const other = await subscribe();
    const early = { timestamp: start.toISOString() };
    // With tax, in thousands of millions: 200 for the base fee and 2 for each unit, of at most 999.
    expect((await record([eventOf(id, { ...early, quantity: '200' })])).body.data.accepted).toBe(1);
    const refused = await record([eventOf(other.id), eventOf(id, { quantity: '200' }), eventOf(id)]);
    expect(refused.status).toBe(400);
    const message = 'brings the next invoice, with its base fee and tax, above the 999999999999.99 that it can hold';
    expect(faultsOf(refused)).toEqual([`events[1].quantity: ${message}`, `events[2].quantity: ${message}`]);
    const moved = new Date(api.clock.now().getTime() - DAY_MS);
    await api.database.usagePeriod.updateMany({ where: { subscriptionId: id }, data: { endsAt: moved } });
    await api.database.subscription.update({
      where: { id },
      data: { currentPeriodStart: moved },
    });
    expect((await record([eventOf(id, { quantity: '200' })])).status, 'in the period after it').toBe(400);
    expect((await record([eventOf(id, { quantity: '199' })])).body.data.accepted).toBe(1);
    expect(await usageOf(other.id)).toEqual([]);
  });

  it('accepts 1,000 events at once', async () => {
    const { id } = await subscribe();
    const { body } = await record(Array.from({ length: 1000 }, () => eventOf(id, { quantity: '0.001' })));
    expect(body.data).toMatchObject({ accepted: 1000, duplicates: 0, rejected: 0 });
    expect(await usageOf(id)).toMatchObject([{ quantity: '1.00', eventCount: 1000 }]);
  });

  it('replays the response for an idempotency key', async () => {
    const { id } = await subscribe();
    const events = [eventOf(id)];
    const headers = { 'idempotency-key': newId() };
    const [first, again] = [await record(events, key, headers), await record(events, key, headers)];
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await record([eventOf(id)], key, headers);
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  });

  it('requires a credential that may write usage', async () => {
    const { id } = await subscribe();
    const { merchantId } = api.merchantA;
    const scope = { merchantId, appId };
    const keyWith = async (scopes: ('USAGE_WRITE' | 'READ')[]) =>
      (await createApiKey(api.world, { scope, kind: 'SECRET', scopes })).secret;
    const statuses: [number, string | undefined][] = [];
    for (const caller of [
      undefined,
      api.merchantA.publishableKey,
      await keyWith(['READ']),
      await keyWith(['USAGE_WRITE']),
    ]) {
      const { status, body } = await api.rest('POST', '/usage', { key: caller, body: { events: [eventOf(id)] } });
      statuses.push([status, body.error?.code]);
    }
    expect(statuses).toEqual([
      [401, 'AUTHENTICATION_ERROR'],
      [403, 'AUTHORIZATION_ERROR'],
      [403, 'AUTHORIZATION_ERROR'],
      [200, undefined],
    ]);
    const asMember = async (role: 'VIEWER' | 'DEVELOPER') => {
      const { headers } = await memberOf(api, merchantId, role);
      return api.rest('POST', '/usage', { body: { events: [eventOf(id)] }, headers: headers ?? {} });
    };
    const [viewer, developer] = [await asMember('VIEWER'), await asMember('DEVELOPER')];
    expect([viewer.status, viewer.body.error.code, developer.status]).toEqual([403, 'AUTHORIZATION_ERROR', 200]);
  });
});

describe('recordUsage over GraphQL', () => {
  it('records and lists usage with the accrued cost', async () => {
    const { id } = await subscribe();
    const document = `mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { accepted results { status } } }`;
    const input = { events: [eventOf(id, { quantity: '7000' })] };
    const recorded = await api.graphql(document, { input }, { key });
    expect(recorded.data.recordUsage).toEqual({ accepted: 1, results: [{ status: 'ACCEPTED' }] });
    const read = await api.graphql(
      `query ($id: ID!) { subscription(id: $id) {
        usage { quantity amount closedAt } upcomingCharges(first: 2) { total }
      } subscriptionUsagePage(id: $id) { total items { quantity } } }`,
      { id },
      { key },
    );
    expect(read.data).toEqual({
      subscription: {
        usage: [{ quantity: '7000.00', amount: '7.00', closedAt: null }],
        upcomingCharges: [{ total: '12.00' }, { total: '5.00' }],
      },
      subscriptionUsagePage: { total: 1, items: [{ quantity: '7000.00' }] },
    });
  });

  it("returns the same error for another merchant's subscription as for a missing one", async () => {
    const { id } = await subscribe();
    const foreign = api.merchantB.secretKey;
    const answers = await Promise.all(
      [id, newId()].map((one) => api.rest('GET', `/subscriptions/${one}/usage`, { key: foreign })),
    );
    const shapes = answers.map(({ status, body }) => [status, body.error.code, body.error.message]);
    expect(shapes[0]).toEqual([404, 'NOT_FOUND', shapes[1]?.[2]]);
    expect(shapes[0]).toEqual(shapes[1]);
  });
});
