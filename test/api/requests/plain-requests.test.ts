/** A plain request is answered without the Fetch API, with the same response as from the GraphQL server. */
import { hash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { openParts } from '../../../src/api/open-parts.ts';
import { openRestApi } from '../../setup/api/rest.ts';

let served = 0;
const api = await openRestApi({
  parts: (world) => {
    const parts = openParts(world);
    const counting = {
      onRequest() {
        served += 1;
      },
    };
    return { ...parts, plugins: [...(parts.plugins ?? []), counting] };
  },
  environment: { BODY_BYTES: '65536' },
});
afterEach(() => {
  served = 0;
});

type Sent = { headers?: Record<string, string>; body?: string | Buffer; chunked?: boolean };
type Answer = { status: number; headers: Record<string, unknown>; body: string };

function send(path: string, { headers = {}, body = '', chunked = false }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length: Record<string, number> = chunked ? {} : { 'content-length': Buffer.byteLength(body) };
    const call = httpRequest(`${api.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...length, ...headers },
    });
    call.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    if (chunked) call.write(body);
    call.end(chunked ? undefined : body);
  });
}

/** The response without the parts that differ between any two requests. */
function comparable({ status, headers, body }: Answer) {
  const varying = /^(date|x-request-id|sluice-time|ratelimit.*|x-ratelimit.*|content-length)$/;
  const kept = Object.entries(headers).filter(([name]) => !varying.test(name));
  return {
    status,
    headers: Object.fromEntries(kept.sort()),
    body: body.replaceAll(/"requestId":"[^"]+"/g, '"requestId":""'),
  };
}

/** With a query string, the GraphQL server handles the request. */
const SERVER = '/graphql?by=server';
const asked = (query: string, variables?: unknown, more: object = {}) => JSON.stringify({ query, variables, ...more });
const key = { 'x-api-key': api.merchantA.secretKey };

async function expectSame(call: Sent): Promise<Answer> {
  const plain = await send('/graphql', call);
  expect(served).toBe(0);
  const other = await send(SERVER, call);
  expect(served).toBe(1);
  served = 0;
  expect(comparable(plain)).toEqual(comparable(other));
  return plain;
}

describe('a plain request gets the same response as from the GraphQL server', () => {
  it('for data', async () => {
    const { status, body } = await expectSame({ headers: key, body: asked('{ viewer { kind } }') });
    expect([status, JSON.parse(body)]).toEqual([200, { data: { viewer: { kind: 'secretKey' } } }]);
    await expectSame({ body: asked('{ viewer { kind } }') });
    await expectSame({
      headers: { ...key, accept: '*/*' },
      body: asked('{ __typename }', null, { operationName: null }),
    });
    const accept = 'application/graphql-response+json';
    const { headers } = await expectSame({ headers: { ...key, accept }, body: asked('{ __typename }') });
    expect(headers['content-type']).toBe('application/graphql-response+json; charset=utf-8');
    await expectSame({
      headers: { ...key, 'content-type': 'application/json; charset=utf-8' },
      body: asked('{ __typename }'),
    });
  });

  it('for a page of another origin', async () => {
    const { headers } = await expectSame({
      headers: { ...key, origin: 'https://shop.example' },
      body: asked('{ __typename }'),
    });
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'cache-control': 'no-store',
    });
  });

  it('for errors of the document, the variables and the fields, in either media type', async () => {
    const missing = '0192aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
    const one = 'query One($id: ID!) { paymentIntent(id: $id) { id } }';
    const calls: [string, number, Sent][] = [
      ['it does not parse', 400, { headers: key, body: asked('{ viewer {') }],
      ['an unknown field', 400, { headers: key, body: asked('{ viewer { nothing } }') }],
      [
        'no operation of this name',
        400,
        { headers: key, body: asked('query A { __typename }', {}, { operationName: 'B' }) },
      ],
      [
        'two operations without a name',
        400,
        { headers: key, body: asked('query A { __typename } query B { __typename }') },
      ],
      ['a variable is missing', 400, { headers: key, body: asked(one) }],
      ['a variable does not fit', 400, { headers: key, body: asked(one, { id: 'x' }) }],
      ['variables are a list', 400, { headers: key, body: asked('{ __typename }', [1]) }],
      ['not found', 404, { headers: key, body: asked(one, { id: missing }) }],
      ['unauthenticated', 401, { body: asked(one, { id: missing }) }],
      ['forbidden', 403, { headers: { 'x-api-key': api.merchantA.publishableKey }, body: asked(one, { id: missing }) }],
    ];
    for (const [name, status, call] of calls) {
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const answer = await expectSame({ ...call, headers: { ...call.headers, accept } });
        const [error] = JSON.parse(answer.body).errors ?? [];
        expect(error?.extensions?.requestId, name).toBe(answer.headers['x-request-id']);
        if (accept === 'application/graphql-response+json') expect(answer.status, name).toBe(status);
      }
    }
  });

  it('for a mutation, and for its replay', async () => {
    const create = `mutation Create($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id amount } }`;
    const body = asked(create, { input: { amount: '12.50' } });
    const named = { ...key, 'idempotency-key': crypto.randomUUID() };
    const first = await send('/graphql', { headers: named, body });
    const replay = await expectSame({ headers: named, body });
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(replay.body).toBe(first.body);
    expect(JSON.parse(first.body).data.createPaymentIntent.amount).toBe('12.50');
  });

  it('for a persisted query', async () => {
    const query = '{ viewer { kind } __typename }';
    const sha256Hash = hash('sha256', query, 'hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    await send(SERVER, { headers: key, body: asked(query, {}, { extensions }) });
    served = 0;
    const { body } = await expectSame({ headers: key, body: JSON.stringify({ extensions }) });
    expect(JSON.parse(body)).toEqual({ data: { viewer: { kind: 'secretKey' }, __typename: 'Query' } });
  });

  it('for another merchant’s object, which looks missing', async () => {
    const made = await api.rest('POST', '/payments/intents', {
      key: api.merchantB.secretKey,
      body: { amount: '1.00' },
    });
    const query = 'query One($id: ID!) { paymentIntent(id: $id) { id } }';
    const { body } = await expectSame({ headers: key, body: asked(query, { id: made.body.data.id }) });
    expect(JSON.parse(body).errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('requests that are not plain', () => {
  const cases: [string, Sent][] = [
    ['a subscription', { headers: { ...key, accept: '*/*' }, body: asked('subscription { nothing }') }],
    ['a body that is not JSON', { headers: key, body: '{"query":' }],
    ['a list of operations', { headers: key, body: JSON.stringify([{ query: '{ __typename }' }]) }],
    ['an unknown parameter', { headers: key, body: asked('{ __typename }', {}, { shop: 1 }) }],
    ['no document', { headers: key, body: '{}' }],
    ['a document that is not shipped', { headers: key, body: JSON.stringify({ documentId: 'x' }) }],
    ['a query that is no text', { headers: key, body: JSON.stringify({ query: 1 }) }],
    ['a body of another type', { headers: { ...key, 'content-type': 'text/plain' }, body: asked('{ __typename }') }],
    ['another media type', { headers: { ...key, accept: 'text/html' }, body: asked('{ __typename }') }],
    ['a body without a length', { headers: key, body: asked('{ __typename }'), chunked: true }],
    ['an empty body', { headers: key }],
    ['a body beyond the limit', { headers: key, body: asked(`{ __typename } #${'x'.repeat(70_000)}`) }],
  ];
  it.each(cases)('%s', async (_name, call) => {
    const answer = await send('/graphql', call);
    expect(served).toBe(1);
    expect(comparable(answer)).toEqual(comparable(await send(SERVER, call)));
  });

  it('are refused for a wrong key before the body is read', async () => {
    const call = { headers: { 'x-api-key': 'sk_test_wrong' }, body: asked('{ __typename }') };
    const answer = await send('/graphql', call);
    expect([answer.status, served]).toEqual([401, 0]);
  });
});

it('serves other requests after a client disconnects before its body is complete', async () => {
  const call = httpRequest(`${api.url}/graphql`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json', 'content-length': 500 },
  });
  call.on('error', () => undefined);
  call.write('{"query":');
  await new Promise((resolve) => setTimeout(resolve, 50));
  call.destroy();
  await expectSame({ headers: key, body: asked('{ __typename }') });
});
