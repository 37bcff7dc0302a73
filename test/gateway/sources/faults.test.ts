/** A source that fails, hangs or sends invalid data makes its own field null with an error, and affects nothing else. */
import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import type { SourceReason } from '../../../src/gateway/sources/source-fault.ts';
import { openSourcesApi, shopEntry, shopJoins, startGraphqlShop, startShop } from './source-ground.ts';

const shop = await startShop();
const store = await startGraphqlShop();
const breaker = { failures: 3, openMs: 10_000 };
/** Long enough for calls that do not hang, even on a slow machine. */
const PATIENT_MS = 30_000;
const api = await openSourcesApi(
  ({ merchantA, merchantB }) => ({
    sources: [
      shopEntry(shop, [merchantA], {
        timeoutMs: PATIENT_MS,
        maxConcurrency: 2,
        maxQueue: 1,
        maxResponseBytes: 2_000,
        breaker,
      }),
      // The same shop as a separate source with a short timeout.
      { ...shopEntry(shop, [merchantB], { timeoutMs: 1, breaker: { failures: 1000, openMs: 1 } }), name: 'hasty' },
      {
        name: 'store',
        handler: { graphql: { source: './shop.graphql', endpoint: `${store.url}/graphql` } },
        apps: [merchantA.appId],
        timeoutMs: PATIENT_MS,
        breaker: { failures: 1000, openMs: 1 },
      },
    ],
    additionalTypeDefs: `${shopJoins}
      extend type PaymentIntent {
        hasty: HastyOrder @resolveTo(sourceName: "hasty", sourceTypeName: "Query", sourceFieldName: "getOrder",
          sourceArgs: { orderId: "{root.metadata.order}" })
        storeOrder: StoreOrder @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "order",
          sourceArgs: { number: "{root.metadata.order}" })
        note: StoreAnything @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "note",
          sourceArgs: { number: "{root.metadata.order}" })
        parcels: [StoreParcel] @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "parcels",
          sourceArgs: { order: "{root.metadata.order}" })
      }`,
  }),
  { NODE_ENV: 'production', TOKEN_SECRET: 'a secret of forty characters for the tests', PRICE_SOURCE: 'market' },
);
const { merchantA, merchantB } = api;
const key = merchantA.secretKey;
const one = (fields: string) => `query ($id: ID!) { paymentIntent(id: $id) { id status ${fields} } }`;
const order42 = { id: '42' };
const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** Requests a field of an intent. The rest of the response must be complete. */
async function ask(id: string, field = 'order', app = merchantA) {
  const { status, data, errors } = await api.graphql(one(`${field} { __typename }`), { id }, { key: app.secretKey });
  expect({ status, data }).toEqual({
    status: 200,
    data: { paymentIntent: { id, status: 'CREATED', [field]: data.paymentIntent[field] } },
  });
  return { value: data.paymentIntent[field], error: errors?.[0], text: JSON.stringify(errors) };
}

const unavailable = (source: string, field = 'order') => ({
  message: `The source ${source} does not respond at the moment.`,
  path: ['paymentIntent', field],
  extensions: { code: 'UNAVAILABLE', retryable: true, http: { status: 503 } },
});

async function counted(pattern: RegExp): Promise<number> {
  const lines = (await api.metrics()).split('\n').filter((line) => pattern.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** JSON with this many nested lists. */
function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

beforeEach(async () => {
  // Closes the breaker, regardless of its state after the previous test.
  shop.behave(undefined);
  store.behave(undefined);
  api.clock.advance(11);
  await ask(await api.intent(merchantA, '42'));
  shop.log.length = 0;
});

test.each<[string, SourceReason, (response: ServerResponse) => void]>([
  ['an error status', 'status', (response: ServerResponse) => json(response, { secret: shop.url }, 500)],
  ['a rejected token', 'status', (response: ServerResponse) => json(response, {}, 401)],
  ['no JSON', 'garbage', (response: ServerResponse) => json(response, '<html>')],
  ['JSON that is not an object', 'garbage', (response: ServerResponse) => json(response, '"42"')],
  [
    'an incomplete response',
    'away',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{', () => response.destroy());
    },
  ],
  ['a dropped connection', 'away', (response: ServerResponse) => void response.destroy()],
  ['too much', 'too-large', (response: ServerResponse) => json(response, { items: [], filler: 'x'.repeat(3_000) })],
  [
    'a redirect',
    'redirect',
    (response: ServerResponse) => {
      response.writeHead(302, { location: `${store.url}/stolen` });
      response.end();
    },
  ],
])('%s: null and UNAVAILABLE, counted as %s', async (_name, outcome, misbehave) => {
  const id = await api.intent(merchantA, '42');
  const counter = new RegExp(`^sluice_source_calls_total\\{.*source="shop",outcome="${outcome}"`);
  const before = await counted(counter);
  store.log.length = 0;
  shop.behave((_request, response) => misbehave(response));
  const { value, error, text } = await ask(id);
  expect(value).toBeNull();
  expect(error).toMatchObject(unavailable('shop'));
  expect(Object.keys(error?.extensions ?? {}).toSorted()).toEqual(['code', 'http', 'requestId', 'retryable']);
  expect(text).not.toMatch(/127\.0\.0\.1|stack|originalError|html|secret/);
  expect(await counted(counter)).toBe(before + 1);
  expect(store.log).toEqual([]);
});

test('values that do not match the schema are null', async () => {
  const id = await api.intent(merchantA, '42');
  const asked = one('order { id state placedAt lines { quantity } }');
  const order = { id: '42', state: 'PLACED', placedAt: '2026-11-21T10:00:00Z', lines: [] };
  const garbage = /^sluice_source_calls_total\{.*source="shop",outcome="garbage"/;
  const before = await counted(garbage);
  const wrongs = [{ state: 'LOST' }, { placedAt: 'yesterday' }, { lines: null }, { lines: [{ quantity: 'many' }] }];
  for (const wrong of wrongs) {
    // The breaker would open.
    api.clock.advance(11);
    shop.behave((_request, response) => json(response, { items: [{ ...order, ...wrong }] }));
    const { data, errors } = await api.graphql(asked, { id }, { key });
    expect(data.paymentIntent.order, JSON.stringify(wrong)).toBeNull();
    expect(errors).toMatchObject([unavailable('shop')]);
  }
  expect(await counted(garbage)).toBe(before + wrongs.length);
  store.behave((_request, response) => json(response, { data: { k0: { number: { a: 1 }, total: 'seven' } } }));
  const lied = await api.graphql(one('storeOrder { number total }'), { id }, { key });
  expect(lied.data.paymentIntent.storeOrder).toBeNull();
  expect(lied.errors).toMatchObject([unavailable('store', 'storeOrder')]);
  store.behave((_request, response) => json(response, { errors: [{ message: `at ${store.url}` }] }));
  const refused = await ask(id, 'storeOrder');
  expect(refused.error).toMatchObject(unavailable('store', 'storeOrder'));
  expect(refused.text).not.toContain(store.url);
});

test.each<[string, SourceReason, string, unknown]>([
  ['errors of GraphQL', 'garbage', 'storeOrder { total }', { errors: [{ message: 'no' }] }],
  ['errors beside data', 'garbage', 'storeOrder { total }', { data: { k0: null }, errors: [{ message: 'no' }] }],
  ['a value of another type', 'garbage', 'storeOrder { total }', { data: { k0: { total: 'seven' } } }],
  ['a list of another type', 'garbage', 'parcels { weight }', { data: { k0: { weight: 1 } } }],
  ['an unknown type', 'garbage', 'parcels { weight }', { data: { k0: [{ __typename: 'Crate', weight: 1 }] } }],
  ['nesting without end', 'garbage', 'note', { data: { k0: nested(2_000) } }],
  [
    'more than 100 entries',
    'too-large',
    'parcels { weight }',
    { data: { k0: Array.from({ length: 101 }, () => ({ __typename: 'Letter', weight: 1 })) } },
  ],
])('%s with status 200 is a failure: %s', async (_name, outcome, field, body) => {
  const id = await api.intent(merchantA, '42');
  const counter = (which: string) => new RegExp(`^sluice_source_calls_total\\{.*source="store",outcome="${which}"`);
  const before = [await counted(counter(outcome)), await counted(counter('ok'))];
  store.behave((_request, response) => json(response, body));
  const { data, errors } = await api.graphql(one(field), { id }, { key });
  const [name = ''] = field.split(' ');
  expect(data.paymentIntent[name]).toBeNull();
  expect(errors).toMatchObject([unavailable('store', name)]);
  expect(await counted(counter(outcome))).toBe((before[0] ?? 0) + 1);
  expect(await counted(counter('ok'))).toBe(before[1]);
});

test('responses that do not match the schema open the breaker', async () => {
  const id = await api.intent(merchantA, '42');
  shop.behave((_request, response) => json(response, { items: [{ id: '42', state: 'LOST' }] }));
  for (let failure = 1; failure <= 3; failure += 1) {
    const { errors } = await api.graphql(one('order { state }'), { id }, { key });
    expect(errors).toMatchObject([unavailable('shop')]);
  }
  expect(shop.log).toHaveLength(3);
  shop.behave(undefined);
  expect((await ask(id)).error).toMatchObject(unavailable('shop'));
  expect(shop.log).toHaveLength(3);
});

test('an order that was not requested is ignored, and a list may have 100 items', async () => {
  const id = await api.intent(merchantA, '42');
  shop.behave((_request, response) => json(response, { items: [{ id: '43' }] }));
  expect(await ask(id)).toMatchObject({ value: null, error: undefined });
});

test('a source that hangs delays only operations that read it', async () => {
  const id = await api.intent(merchantA, '42');
  const held: ServerResponse[] = [];
  shop.behave((_request, response) => void held.push(response));
  let isAnswered = false;
  const waiting = ask(id).then((answer) => {
    isAnswered = true;
    return answer;
  });
  await shop.untilAsked(1);
  const without = await api.graphql(one('amount'), { id }, { key });
  expect(without.data.paymentIntent).toEqual({ id, status: 'CREATED', amount: '12.50' });
  expect(isAnswered).toBe(false);
  for (const response of held) json(response, { items: [order42] });
  expect((await waiting).value).toEqual({ __typename: 'ShopOrder' });
});

test('a source that does not respond within its timeout makes its field null', async () => {
  const id = await api.intent(merchantB, '42');
  const aborted = new Promise<void>((resolve) => {
    shop.behave((request) => void request.once('close', resolve));
  });
  const { value, error } = await ask(id, 'hasty', merchantB);
  expect(value).toBeNull();
  expect(error).toMatchObject(unavailable('hasty', 'hasty'));
  // If the time ended before the request was sent, there is nothing to abort.
  if (shop.log.length > 0) await aborted;
  expect(await counted(/^sluice_source_calls_total\{.*source="hasty",outcome="timeout"/)).toBeGreaterThan(0);
});

test('calls beyond the limits of concurrent and waiting calls fail at once', async () => {
  const ids = await Promise.all(['421', '422', '423', '424'].map((order) => api.intent(merchantA, order)));
  const held: ServerResponse[] = [];
  shop.behave((_request, response) => void held.push(response));
  const [first = '', second = '', third = '', fourth = ''] = ids;
  const running = [ask(first), ask(second)];
  await shop.untilAsked(2);
  // One of these two waits, and the other finds the queue full.
  const further = [ask(third), ask(fourth)];
  const refused = await Promise.race(further);
  expect(refused).toMatchObject({ value: null, error: unavailable('shop') });
  expect(await counted(/^sluice_source_calls_total\{.*source="shop",outcome="busy"/)).toBe(1);
  expect(shop.log).toHaveLength(2);
  shop.behave((request, response) => {
    const asked = new URL(request.url ?? '', shop.url).searchParams.getAll('ids');
    json(response, { items: asked.map((id) => ({ id })) });
  });
  for (const response of held) json(response, { items: [{ id: '421' }, { id: '422' }] });
  const answers = await Promise.all([...running, ...further]);
  expect(answers.filter(({ value }) => value !== null)).toHaveLength(3);
  expect(shop.log).toHaveLength(3);
});

test('the breaker opens after repeated failures, admits one call after a delay, and closes on success', async () => {
  const id = await api.intent(merchantA, '42');
  const isOpen = async () => (await counted(/^sluice_source_breaker_open\{.*source="shop"/)) === 1;
  shop.behave((_request, response) => json(response, {}, 503));
  for (let failures = 1; failures <= 3; failures += 1) {
    expect(await isOpen()).toBe(false);
    expect((await ask(id)).error).toMatchObject(unavailable('shop'));
    expect(shop.log).toHaveLength(failures);
  }
  expect(await isOpen()).toBe(true);
  shop.behave(undefined);
  expect((await ask(id)).error).toMatchObject(unavailable('shop'));
  expect(shop.log).toHaveLength(3);

  api.clock.advance(11);
  shop.behave((_request, response) => json(response, {}, 503));
  expect((await ask(id)).error).toMatchObject(unavailable('shop'));
  expect(shop.log).toHaveLength(4);
  shop.behave(undefined);
  expect((await ask(id)).error).toMatchObject(unavailable('shop'));
  expect(shop.log).toHaveLength(4);

  api.clock.advance(11);
  expect((await ask(id)).value).toEqual({ __typename: 'ShopOrder' });
  expect(await isOpen()).toBe(false);
});

test('missing orders and requests that the shop rejects do not open the breaker', async () => {
  const id = await api.intent(merchantA, '42');
  for (const status of [404, 400, 422, 404, 400, 422]) {
    shop.behave((_request, response) => json(response, {}, status));
    const { value, error } = await ask(id, 'oneOrder');
    expect(value).toBeNull();
    if (status === 404) expect(error).toBeUndefined();
    else expect(error).toMatchObject(unavailable('shop', 'oneOrder'));
  }
  shop.behave(undefined);
  expect((await ask(id, 'oneOrder')).value).toEqual({ __typename: 'ShopOrder' });
});

test('errors of a source are not counted as database errors', async () => {
  shop.behave((_request, response) => json(response, {}, 500));
  await ask(await api.intent(merchantA, '42'));
  expect(await counted(/^sluice_unavailable_errors_total/)).toBe(0);
});
