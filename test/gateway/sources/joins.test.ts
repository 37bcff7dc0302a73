/** Fields of a source: authorization, rows, every transport, and requests without data of the caller. */
import { createClient } from 'graphql-ws';
import { beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openSourcesApi, shopEntry, shopJoins, startGraphqlShop, startShop, TOKEN } from './source-ground.ts';

const shop = await startShop();
const graphqlShop = await startGraphqlShop();
const api = await openSourcesApi(({ merchantA }) => ({
  sources: [
    shopEntry(shop, [merchantA]),
    {
      name: 'store',
      handler: { graphql: { source: './shop.graphql', endpoint: `${graphqlShop.url}/graphql` } },
      apps: [merchantA.appId],
    },
    { ...shopEntry(shop, [merchantA], { maxCallsPerRequest: 1 }), name: 'sparing' },
  ],
  additionalTypeDefs: `${shopJoins}
    extend type PaymentIntent {
      sparing: SparingOrder @resolveTo(sourceName: "sparing", sourceTypeName: "Query", sourceFieldName: "getOrder",
        sourceArgs: { orderId: "{root.metadata.order}" })
      storeOrder: StoreOrder @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "order",
        sourceArgs: { number: "{root.metadata.order}" })
      receipt: Int @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "receipt",
        sourceArgs: { no: "{root.metadata.order}" })
      total: Int @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "order",
        sourceArgs: { number: "{root.metadata.order}" }, result: "total")
      owned: StoreOrder @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "owned",
        sourceArgs: { number: "{root.metadata.order}", app: "{root.appId}" })
      parcels: [StoreParcel!] @resolveTo(sourceName: "store", sourceTypeName: "Query", sourceFieldName: "parcels",
        sourceArgs: { order: "{root.metadata.order}" }, additionalArgs: { carrier: "POST" })
    }`,
}));
const { merchantA, merchantB, liveApp } = api;
const key = merchantA.secretKey;
const one = (fields: string) => `query ($id: ID!) { paymentIntent(id: $id) { id ${fields} } }`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const calls = () => shop.log.map(({ method, url }) => `${method} ${url}`);

beforeEach(() => {
  shop.log.length = 0;
  shop.behave(undefined);
  graphqlShop.log.length = 0;
  graphqlShop.behave(undefined);
});

test('a shop’s field is resolved within the intent, with aliases, fragments and directives', async () => {
  const id = await api.intent(merchantA, '42');
  const document = `query ($id: ID!, $no: Boolean = false) {
    paymentIntent(id: $id) {
      status
      first: order { number: id placedAt ...Lines trackingUrl @include(if: $no) }
      order { __typename state lines { sku } }
    }
  }
  fragment Lines on ShopOrder { lines { what: title quantity } }`;
  const { data, errors } = await api.graphql(document, { id }, { key });
  expect(errors).toBeUndefined();
  expect(data.paymentIntent).toEqual({
    status: 'CREATED',
    first: { number: '42', placedAt: '2026-11-21T10:00:00.000Z', lines: [{ what: 'Of 42', quantity: 3 }] },
    order: { __typename: 'ShopOrder', state: 'SHIPPED', lines: [{ sku: 'TEE' }] },
  });
});

test('a page of 20 is one call if the source accepts several keys', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => `4${100 + index}`);
  for (const number of numbers) await api.intent(merchantA, number);
  const { data, errors } = await api.graphql(
    '{ paymentIntentsPage(pageSize: 20) { items { order { id lines { title } } } } }',
    {},
    { key },
  );
  expect(errors).toBeUndefined();
  expect(data.paymentIntentsPage.items).toEqual(
    numbers.toReversed().map((id) => ({ order: { id, lines: [{ title: `Of ${id}` }] } })),
  );
  expect(shop.log).toHaveLength(1);
  const asked = new URL(shop.log[0]?.url ?? '', shop.url);
  expect(asked.pathname).toBe('/orders');
  expect(asked.searchParams.getAll('ids').toSorted()).toEqual(numbers.toSorted());
});

test('a page of 20 is one call to a GraphQL source, and limited calls to any other', async () => {
  const page = (field: string) => `{ paymentIntentsPage(pageSize: 20) { items { id ${field} { __typename } } } }`;
  const inOne = await api.graphql(page('storeOrder'), {}, { key });
  expect(inOne.errors).toBeUndefined();
  expect(graphqlShop.log).toHaveLength(1);
  const each = await api.graphql(page('oneOrder'), {}, { key });
  expect(each.errors).toBeUndefined();
  expect(shop.log).toHaveLength(20);
  expect(new Set(calls()).size).toBe(20);

  shop.log.length = 0;
  await api.intent(merchantA, '4999');
  const tooMany = await api.graphql(
    '{ paymentIntentsPage(pageSize: 21) { items { id oneOrder { id } } } }',
    {},
    { key },
  );
  expect(tooMany.data.paymentIntentsPage.items.map(({ oneOrder }: { oneOrder: unknown }) => oneOrder)).toEqual(
    Array.from({ length: 21 }, () => null),
  );
  expect(tooMany.errors?.[0]).toMatchObject({
    message: 'The operation requires 21 calls to source shop; the limit is 20. Request fewer rows.',
    extensions: { code: 'VALIDATION_ERROR', retryable: false },
  });
  expect(shop.log).toEqual([]);
});

test('GraphQL sources have scalars, lists, interfaces, and arguments that only the configuration sets', async () => {
  const id = await api.intent(merchantA, '4/ü'.replace('ü', 'x y'));
  const fields =
    'storeOrder { number total } total parcels { __typename weight ... on StoreBox { height } ... on StoreLetter { stamps } }';
  const { data, errors } = await api.graphql(one(fields), { id }, { key });
  expect(errors).toBeUndefined();
  expect(data.paymentIntent).toEqual({
    id,
    storeOrder: { number: '4/x y', total: 7 },
    total: 7,
    parcels: [
      { __typename: 'StoreLetter', weight: 20, stamps: 2 },
      { __typename: 'StoreBox', weight: 900, height: 30 },
    ],
  });
  const withArgument = await api.graphql(one('parcels { ... on StoreBox { height(unit: "mi") } }'), { id }, { key });
  expect(withArgument.errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
});

test('a numeric argument receives numeric keys, and an invalid key does not affect the others', async () => {
  const ids = [await api.intent(merchantA, '42'), await api.intent(merchantA, 7), await api.intent(merchantA, 'seven')];
  const fields = ids.map((id, index) => `a${index}: paymentIntent(id: "${id}") { receipt }`).join(' ');
  const { data, errors } = await api.graphql(`{ ${fields} }`, {}, { key });
  expect(errors).toBeUndefined();
  expect(data).toEqual({ a0: { receipt: 43 }, a1: { receipt: 8 }, a2: { receipt: null } });
  expect(graphqlShop.log).toHaveLength(1);
});

test('a source receives the id of the app if its argument is configured so', async () => {
  const id = await api.intent(merchantA, '42');
  const { data, errors } = await api.graphql(one('owned { number total }'), { id }, { key });
  expect(errors).toBeUndefined();
  expect(data.paymentIntent.owned).toEqual({ number: `42 of ${merchantA.appId}`, total: 8 });
});

test('an order that the shop does not have is null without an error', async () => {
  const id = await api.intent(merchantA, '77', '78');
  const { data, errors } = await api.graphql(
    one('order { id } oneOrder { id } orderById { id } storeOrder { total }'),
    { id },
    { key },
  );
  expect(errors).toBeUndefined();
  expect(data.paymentIntent).toEqual({ id, order: null, oneOrder: null, orderById: null, storeOrder: null });
  expect(calls().toSorted()).toEqual(['GET /orders/77', 'GET /orders/78', 'GET /orders?ids=77']);
});

test('a field is resolved over a websocket and in a live field as an event stream', async () => {
  const id = await api.intent(merchantA, '42');
  const client = createClient({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': key },
    retryAttempts: 0,
  });
  const answers = [];
  for await (const answer of client.iterate({ query: one('order { id }'), variables: { id } })) answers.push(answer);
  const live = 'subscription ($id: ID!) { paymentIntentUpdated(id: $id) { id order { id state } } }';
  for await (const answer of client.iterate({ query: live, variables: { id } })) {
    answers.push(answer);
    break;
  }
  await client.dispose();
  expect(answers).toEqual([
    { data: { paymentIntent: { id, order: { id: '42' } } } },
    { data: { paymentIntentUpdated: { id, order: { id: '42', state: 'SHIPPED' } } } },
  ]);
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
    body: JSON.stringify({ query: live, variables: { id } }),
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk);
    if (text.includes('SHIPPED')) break;
  }
  expect(text).toContain(JSON.stringify({ paymentIntentUpdated: { id, order: { id: '42', state: 'SHIPPED' } } }));
});

test('each event of a live field has the call limit of an operation', async () => {
  const id = await api.intent(merchantA, '42');
  const client = createClient({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': key },
    retryAttempts: 0,
  });
  const live = 'subscription ($id: ID!) { paymentIntentUpdated(id: $id) { status sparing { id } } }';
  const answers = [];
  for await (const answer of client.iterate({ query: live, variables: { id } })) {
    answers.push(answer);
    if (answers.length === 2) break;
    await api.graphql(`mutation { cancelPaymentIntent(id: "${id}") { status } }`, {}, { key });
  }
  await client.dispose();
  expect(answers).toEqual(
    ['CREATED', 'CANCELLED'].map((status) => ({ data: { paymentIntentUpdated: { status, sparing: { id: '42' } } } })),
  );
});

test('each follower of an event has a call limit of its own', async () => {
  const id = await api.intent(merchantA, '42');
  const live = 'subscription ($id: ID!) { paymentIntentUpdated(id: $id) { status sparing { id } } }';
  const followers = Array.from({ length: 3 }, () => {
    const client = createClient({
      url: `${api.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'x-api-key': key },
      retryAttempts: 0,
    });
    return { client, events: client.iterate({ query: live, variables: { id } }) };
  });
  const next = () => Promise.all(followers.map(async ({ events }) => (await events.next()).value));
  const answered = (status: string) =>
    followers.map(() => ({ data: { paymentIntentUpdated: { status, sparing: { id: '42' } } } }));
  expect(await next()).toEqual(answered('CREATED'));
  await api.graphql(`mutation { cancelPaymentIntent(id: "${id}") { status } }`, {}, { key });
  expect(await next()).toEqual(answered('CANCELLED'));
  for (const { client } of followers) await client.dispose();
});

test('rows of another app, including a live app of the same merchant, are never requested', async () => {
  for (const app of [merchantB, liveApp]) {
    const id = await api.intent(app, '42', '42');
    const { data, errors } = await api.graphql(
      one('order { id } oneOrder { id } orderById { id } storeOrder { total } total parcels { weight }'),
      { id },
      { key: app.secretKey },
    );
    expect(errors).toBeUndefined();
    expect(data.paymentIntent).toEqual({
      id,
      order: null,
      oneOrder: null,
      orderById: null,
      storeOrder: null,
      total: null,
      parcels: null,
    });
  }
  expect([...shop.log, ...graphqlShop.log]).toEqual([]);
});

test('no headers of the caller are sent to a source', async () => {
  const id = await api.intent(merchantA, '42', '43');
  const headers = {
    cookie: 'session=of-the-caller',
    authorization: '',
    'x-client-secret': '',
    'idempotency-key': 'key-of-the-caller',
    'x-request-id': 'request-7',
    'x-forwarded-for': '203.0.113.9',
    'user-agent': 'The caller',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    referer: 'https://merchant.example/',
  };
  const { errors } = await api.graphql(
    one('order { id } oneOrder { id } storeOrder { total }'),
    { id },
    { key, headers },
  );
  expect(errors).toBeUndefined();
  const own = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'Sluice',
    connection: 'keep-alive',
    'x-request-id': expect.stringMatching(UUID),
  };
  const host = (server: { url: string }) => new URL(server.url).host;
  expect(shop.log.map((request) => request.headers)).toEqual(
    Array.from({ length: 2 }, () => ({ ...own, host: host(shop), authorization: `Bearer ${TOKEN}` })),
  );
  expect(graphqlShop.log.map((request) => request.headers)).toEqual([
    { ...own, host: host(graphqlShop), 'content-type': 'application/json', 'content-length': expect.any(String) },
  ]);
  // The caller chose the request's id, so the server generates one for each call.
  const sent = [...shop.log, ...graphqlShop.log].map((request) => request.headers['x-request-id']);
  expect(new Set(sent).size).toBe(3);
});

test.each([
  '../../admin',
  '..',
  '.',
  '42/../43',
  '42%2f..%2f43',
  '42?ids=43',
  '42#',
  '42&ids=43',
  '42\r\nx-admin: 1',
  '42\u0000',
  '{env.DATABASE_URL}',
  '{context.principal}',
  '$&',
  '@host',
  '//host/',
  ' 42',
  'é42',
  // The schema has its own maximum length.
  `4${'2'.repeat(64)}`,
  `4${'2'.repeat(128)}`,
  '',
  4.5,
  true,
  null,
  ['42'],
  { id: '42' },
])('the order %j is not a key and is not sent in a URL', async (order) => {
  const text = typeof order === 'string' && order !== '' && !order.includes('\u0000') ? order : null;
  const id = await api.intent(merchantA, typeof order === 'string' ? order.replace('\u0000', '\u0001') : order, text);
  const { data, errors } = await api.graphql(one('order { id } oneOrder { id } orderById { id }'), { id }, { key });
  expect(errors).toBeUndefined();
  expect(data.paymentIntent).toEqual({ id, order: null, oneOrder: null, orderById: null });
  expect(shop.log).toEqual([]);
});

test('keys are sent unchanged', async () => {
  for (const order of ['42', '4-a_B.c', '4..4', 4242, `4${'2'.repeat(63)}`]) {
    const id = await api.intent(merchantA, order);
    const { data } = await api.graphql(one('order { id } oneOrder { id }'), { id }, { key });
    expect(data.paymentIntent).toMatchObject({ order: { id: `${order}` }, oneOrder: { id: `${order}` } });
  }
});

test('only a secret key with READ can request a source’s data', async () => {
  const id = await api.intent(merchantA, '42');
  const create = `mutation ($id: UUID) { createCheckoutSession(input: { paymentIntentId: $id }) { id clientSecret } }`;
  const { createCheckoutSession: session } = (await api.graphql(create, { id }, { key })).data;
  const nested = `query ($id: ID!) { checkoutSession(id: $id) { paymentIntent { id order { id } } } }`;
  const payer = await api.graphql(nested, { id: session.id }, { clientSecret: session.clientSecret });
  expect(payer.data).toEqual({ checkoutSession: { paymentIntent: { id, order: null } } });
  expect(payer.errors).toMatchObject([
    { path: ['checkoutSession', 'paymentIntent', 'order'], extensions: { code: 'AUTHORIZATION_ERROR' } },
  ]);
  for (const [credential, code] of [
    [{}, 'AUTHENTICATION_ERROR'],
    [{ key: merchantA.publishableKey }, 'AUTHORIZATION_ERROR'],
    [{ key: merchantB.secretKey }, 'NOT_FOUND'],
  ] as const) {
    const refused = await api.graphql(one('order { id }'), { id }, credential);
    expect(refused.errors).toMatchObject([{ extensions: { code } }]);
  }
  const makeKey = 'mutation { createApiKey(input: { kind: SECRET, scopes: [PAYMENTS_WRITE] }) { secret } }';
  const writer = (await api.graphql(makeKey, {}, { key })).data.createApiKey.secret;
  const written = await api.graphql(
    'mutation { createPaymentIntent(input: { amount: "5", currency: "USD", metadata: { order: "42" } }) { id order { id } } }',
    {},
    { key: writer },
  );
  expect(written.errors).toMatchObject([{ extensions: { code: 'AUTHORIZATION_ERROR' } }]);
  expect(shop.log).toEqual([]);
  const merchant = await api.graphql(nested, { id: session.id }, { key });
  expect(merchant.data).toEqual({ checkoutSession: { paymentIntent: { id, order: { id: '42' } } } });
});

test('fields of a source count in the cost and are in the introspection', async () => {
  const id = await api.intent(merchantA, '42');
  const aliases = Array.from({ length: 300 }, (_, index) => `a${index}: order { id }`).join(' ');
  const page = `{ paymentIntentsPage(pageSize: 100) { items { ${aliases.slice(0, aliases.indexOf('a100'))} } } }`;
  const costly = await api.graphql(page, {}, { key });
  expect(costly.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'complexity' });
  const known = await api.graphql(
    '{ __type(name: "ShopOrder") { description fields { name args { name } } } }',
    {},
    { key },
  );
  expect(known.data.__type.description).toBe('An order of the shop.');
  expect(known.data.__type.fields.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'id',
    'lines',
    'placedAt',
    'state',
    'trackingUrl',
  ]);
  expect(shop.log).toEqual([]);
  expect((await api.graphql(one('order { id }'), { id }, { key })).data.paymentIntent.order).toEqual({ id: '42' });
});
