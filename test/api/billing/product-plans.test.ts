import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
let foreign: string;
beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
  foreign = api.merchantB.secretKey;
});

const monthly = { amount: '12.50', billingInterval: 'MONTH' };
const gold = { name: 'Gold', planType: 'SUBSCRIPTION', prices: [monthly] };
const post = (body: object, caller = key) => api.rest('POST', '/product-plans', { key: caller, body });
const make = async (body: object = gold) => (await post(body)).body.data;
const faults = (answer: { body: { error: { details: { param: string }[] } } }) =>
  answer.body.error.details.map((fault) => fault.param).sort();

describe('POST /product-plans', () => {
  it('creates a plan with its only price as the default', async () => {
    const { status, body } = await post(gold);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      name: 'Gold',
      planType: 'SUBSCRIPTION',
      isActive: true,
      prices: [
        { amount: '12.50', currency: 'USD', billingInterval: 'MONTH', billingIntervalCount: 1, isDefault: true },
      ],
    });
  });

  it('is ONE_TIME by default, and then refuses an interval', async () => {
    expect(await make({ name: 'Book', prices: [{ amount: '9' }] })).toMatchObject({
      planType: 'ONE_TIME',
      prices: [{ amount: '9.00', billingInterval: null }],
    });
    const answer = await post({ name: 'Book', prices: [monthly] });
    expect([answer.status, faults(answer)]).toEqual([400, ['prices[0].billingInterval']]);
  });

  it.each([
    ['no price', { ...gold, prices: [] }, ['prices']],
    ['no default among several', { ...gold, prices: [monthly, monthly] }, ['prices']],
    [
      'two defaults',
      {
        ...gold,
        prices: [
          { ...monthly, isDefault: true },
          { ...monthly, isDefault: true },
        ],
      },
      ['prices'],
    ],
    ['a subscription without interval', { ...gold, prices: [{ amount: '1' }] }, ['prices[0].billingInterval']],
    [
      'bad fields of a price',
      { ...gold, prices: [{ amount: '0', billingIntervalCount: 0, currency: 'GBP' }] },
      ['prices[0].amount', 'prices[0].billingIntervalCount', 'prices[0].currency'],
    ],
    [
      'an unknown interval',
      { ...gold, prices: [{ amount: '1', billingInterval: 'DECADE' }] },
      ['prices[0].billingInterval'],
    ],
    ['an unknown field', { ...gold, colour: 'gold' }, ['colour']],
  ])('refuses %s', async (_what, body, params) => {
    const answer = await post(body);
    expect([answer.status, faults(answer)]).toEqual([400, params]);
  });

  it('accepts MINUTE only for test apps', async () => {
    const minutely = { ...gold, prices: [{ amount: '1', billingInterval: 'MINUTE' }] };
    expect((await post(minutely)).status).toBe(200);
    const live = await post(minutely, api.liveApp.secretKey);
    expect([live.status, faults(live)]).toEqual([400, ['prices[0].billingInterval']]);
  });

  it('accepts only a tax rate of the merchant', async () => {
    const rate = (await api.rest('POST', '/tax-rates', { key, body: { displayName: 'VAT', percentage: 19 } })).body
      .data;
    const plan = await make({ ...gold, taxRateId: rate.id });
    const shown = await api.rest('GET', `/product-plans/${plan.id}`, { key });
    expect(shown.body.data.taxRate).toMatchObject({ id: rate.id, percentage: 19 });
    const theirs = await post({ ...gold, taxRateId: rate.id }, foreign);
    expect([theirs.status, theirs.body.error.param]).toEqual([404, 'taxRateId']);
    await api.rest('DELETE', `/tax-rates/${rate.id}`, { key });
    expect((await post({ ...gold, taxRateId: rate.id })).status).toBe(400);
  });

  it('requires a secret key', async () => {
    expect((await api.rest('POST', '/product-plans', { body: gold })).status).toBe(401);
    expect((await post(gold, api.merchantA.publishableKey)).status).toBe(403);
  });
});

describe('GET /product-plans', () => {
  it('returns pages newest first, and filters by type', async () => {
    const plan = await make({ name: 'Pen', prices: [{ amount: '2' }] });
    const { body } = await api.rest('GET', '/product-plans?planType=ONE_TIME&pageSize=1', { key });
    expect(body.data[0].id).toBe(plan.id);
    expect((await api.rest('GET', '/product-plans?planType=GIFT', { key })).status).toBe(400);
  });

  it('filters by active and archived plans', async () => {
    const [sold, archived] = [await make(gold), await make(gold)];
    await api.rest('PUT', `/product-plans/${archived.id}`, { key, body: { isActive: false } });
    const LIST =
      'query ($isActive: Boolean) { productPlans(first: 100, isActive: $isActive) { totalCount nodes { id } } }';
    const list = async (isActive: boolean | null) => {
      const { nodes, totalCount } = (await api.graphql(LIST, { isActive }, { key })).data.productPlans;
      expect(nodes).toHaveLength(totalCount);
      return nodes.map((plan: { id: string }) => plan.id);
    };
    expect(await list(true)).toContain(sold.id);
    expect(await list(true)).not.toContain(archived.id);
    expect(await list(false)).toContain(archived.id);
    expect(await list(null)).toEqual(expect.arrayContaining([sold.id, archived.id]));
  });
});

describe('a plan and its prices', () => {
  it('are updated field by field, and cleared by null', async () => {
    const plan = await make({ ...gold, description: 'All of it' });
    const changed = await api.rest('PUT', `/product-plans/${plan.id}`, {
      key,
      body: { description: null, isActive: false },
    });
    expect(changed.body.data).toMatchObject({ name: 'Gold', description: null, isActive: false });
  });

  it('have exactly one default while prices are added and changed', async () => {
    const plan = await make();
    const path = `/product-plans/${plan.id}/prices`;
    const yearly = await api.rest('POST', path, {
      key,
      body: { amount: '99', billingInterval: 'YEAR', isDefault: true },
    });
    expect(yearly.body.data).toMatchObject({ isDefault: true, sortOrder: 1 });
    const back = await api.rest('PUT', `${path}/${plan.prices[0].id}`, {
      key,
      body: { isDefault: true, nickname: 'Monthly' },
    });
    expect(back.body.data).toMatchObject({ isDefault: true, nickname: 'Monthly' });
    const shown = await api.rest('GET', `/product-plans/${plan.id}`, { key });
    expect(shown.body.data.prices.map((price: { isDefault: boolean }) => price.isDefault)).toEqual([true, false]);
  });

  it('keep their default price', async () => {
    const plan = await make();
    const path = `/product-plans/${plan.id}/prices/${plan.prices[0].id}`;
    expect((await api.rest('DELETE', path, { key })).body.error.code).toBe('INVALID_STATE');
    expect((await api.rest('PUT', path, { key, body: { isActive: false } })).status).toBe(409);
    expect((await api.rest('PUT', path, { key, body: { isDefault: false } })).status).toBe(400);
  });

  it('delete an unused price, and archive one that a payment link uses', async () => {
    const plan = await make();
    const path = `/product-plans/${plan.id}/prices`;
    const add = async () =>
      (await api.rest('POST', path, { key, body: { amount: '3', billingInterval: 'WEEK' } })).body.data;
    const [unused, used] = [await add(), await add()];
    const link = {
      appId: api.merchantA.appId,
      name: 'L',
      slug: 'uses-a-price',
      productPlanId: plan.id,
      productPlanPriceId: used.id,
    };
    expect((await api.rest('POST', '/payment-links', { key, body: link })).status).toBe(200);
    expect((await api.rest('DELETE', `${path}/${unused.id}`, { key })).status).toBe(204);
    expect((await api.rest('DELETE', `${path}/${used.id}`, { key })).status).toBe(204);
    const prices = (await api.rest('GET', `/product-plans/${plan.id}`, { key })).body.data.prices;
    expect(prices.map((price: { id: string; isActive: boolean }) => [price.id, price.isActive])).toEqual([
      [plan.prices[0].id, true],
      [used.id, false],
    ]);
  });

  it('are updated and deleted over GraphQL by the price’s ID, with or without the plan’s', async () => {
    const plan = await make();
    const price = (await api.rest('POST', `/product-plans/${plan.id}/prices`, { key, body: monthly })).body.data;
    const update = (names: string) =>
      `mutation ($id: ID!, $plan: ID!, $input: UpdateProductPlanPriceInput!) { price: updateProductPlanPrice(${names}, input: $input) { id nickname productPlanId } }`;
    const ask = (query: string, variables: object, caller = key) =>
      api.graphql(query, { ...variables }, { key: caller });
    const byId =
      'mutation ($id: ID!, $input: UpdateProductPlanPriceInput!) { price: updateProductPlanPrice(id: $id, input: $input) { id nickname } }';
    expect((await ask(byId, { id: price.id, input: { nickname: 'a' } })).data.price).toMatchObject({ nickname: 'a' });
    const under = await ask(update('productPlanId: $plan, priceId: $id'), {
      id: price.id,
      plan: plan.id,
      input: { nickname: 'b' },
    });
    expect(under.data.price).toEqual({ id: price.id, nickname: 'b', productPlanId: plan.id });
    const code = (answer: { errors?: { extensions: { code: string } }[] }) => answer.errors?.[0]?.extensions.code;
    expect(code(await ask(byId, { id: price.id, input: {} }, foreign))).toBe('NOT_FOUND');
    expect(code(await ask(byId, { id: crypto.randomUUID(), input: {} }))).toBe('NOT_FOUND');
    expect(code(await ask('mutation { updateProductPlanPrice(input: {}) { id } }', {}))).toBe('VALIDATION_ERROR');
    const end = 'mutation ($id: ID!) { gone: deleteProductPlanPrice(id: $id) }';
    expect(code(await ask(end, { id: price.id }, foreign))).toBe('NOT_FOUND');
    expect((await ask(end, { id: price.id })).data.gone).toBe(price.id);
  });

  it('return 404 to another merchant', async () => {
    const plan = await make();
    const [price] = plan.prices;
    const answers = await Promise.all([
      api.rest('GET', `/product-plans/${plan.id}`, { key: foreign }),
      api.rest('PUT', `/product-plans/${plan.id}`, { key: foreign, body: { name: 'Mine' } }),
      api.rest('POST', `/product-plans/${plan.id}/prices`, { key: foreign, body: monthly }),
      api.rest('PUT', `/product-plans/${plan.id}/prices/${price.id}`, { key: foreign, body: {} }),
      api.rest('DELETE', `/product-plans/${plan.id}/prices/${price.id}`, { key: foreign }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
  });
});
