/** The encoding of responses: compression that the client accepts, and headers for caches. */
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { loadBuiltPages } from '../../../src/api/pages/built-pages.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { rawCall } from '../../setup/chains/raw-call.ts';

const api = await openRestApi();
const key = api.merchantA.secretKey;
const INTENTS = '/payments/intents';
const INTROSPECTION = '{ __schema { types { name description fields { name description } } } }';

for (let index = 0; index < 5; index += 1)
  await api.rest('POST', INTENTS, { key, body: { amount: '1', metadata: { note: 'tea '.repeat(50) } } });

const call = (path: string, headers: Record<string, string> = {}) =>
  rawCall(`${api.url}${path}`, { headers: { 'x-api-key': key, ...headers } });

function ask(query: string, headers: Record<string, string> = {}, method = 'POST') {
  const body = method === 'POST' ? { body: JSON.stringify({ query }) } : {};
  return rawCall(`${api.url}/graphql`, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
    ...body,
  });
}

const names = (header: string | undefined) => (header ?? '').toLowerCase().split(/\s*,\s*/);
/** The request ID and the rate limit differ between calls, regardless of the encoding. */
const withoutIds = (text: string) => text.replace(/"requestId":"[^"]+"/g, '');

describe('JSON above 1 KiB', () => {
  const big: [name: string, ask: (headers: Record<string, string>) => ReturnType<typeof rawCall>, type: string][] = [
    ['a list over REST', (headers) => call(INTENTS, headers), 'application/json; charset=utf-8'],
    ['an answer of GraphQL', (headers) => ask(INTROSPECTION, headers), 'application/json; charset=utf-8'],
    [
      'an answer of GraphQL by its own type',
      (headers) => ask(INTROSPECTION, { accept: 'application/graphql-response+json', ...headers }),
      'application/graphql-response+json; charset=utf-8',
    ],
    [
      'errors of GraphQL',
      (headers) => ask(`{ ${Array.from({ length: 40 }, (_, index) => `no${index}`).join(' ')} }`, headers),
      'application/json; charset=utf-8',
    ],
    ['an error over REST', (headers) => refuse(headers), 'application/json; charset=utf-8'],
    ['a problem', (headers) => refuse({ accept: 'application/problem+json', ...headers }), 'application/problem+json'],
    ['the description of the API', (headers) => call('/openapi.json', headers), 'application/json; charset=utf-8'],
  ];

  /** A request that is refused with an error for each of many fields. */
  function refuse(headers: Record<string, string>) {
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`unknown${index}`, 1]));
    return rawCall(`${api.url}${INTENTS}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ amount: '1', ...fields }),
    });
  }

  test.each(big)('%s is sent in the encoding that the client accepts', async (_name, send, type) => {
    const plain = await send({});
    expect(plain.bytes.length).toBeGreaterThan(1024);
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0.1, gzip;q=0.2', 'gzip'],
      ['identity', undefined],
      ['zstd', undefined],
    ] as const) {
      const answer = await send({ 'accept-encoding': accepted });
      expect(answer.headers['content-encoding'], accepted).toBe(encoding);
      expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
      expect(answer.headers['content-type']).toBe(type);
      expect(names(answer.headers.vary)).toContain('accept-encoding');
      expect(answer.status).toBe(plain.status);
      if (encoding !== undefined) expect(answer.bytes.length).toBeLessThan(plain.bytes.length);
      expect(withoutIds(answer.text)).toBe(withoutIds(plain.text));
    }
  });

  test('has the same headers for HEAD as for GET', async () => {
    const headers = { 'x-api-key': key, 'accept-encoding': 'gzip' };
    for (const path of [INTENTS, '/openapi.json', '/docs/api/viewer.js', '/docs/quickstart']) {
      const [got, asked] = await Promise.all([
        rawCall(`${api.url}${path}`, { headers }),
        rawCall(`${api.url}${path}`, { method: 'HEAD', headers }),
      ]);
      expect(asked.bytes.length).toBe(0);
      for (const name of ['content-encoding', 'content-length', 'content-type', 'vary', 'cache-control'])
        expect(asked.headers[name], `${path} ${name}`).toBe(got.headers[name]);
      expect(got.headers['content-encoding']).toBe('gzip');
    }
  });
});

describe('compression', () => {
  test('is omitted for a short response, which has its content-length', async () => {
    for (const answer of [
      await ask('{ viewer { kind } }', { 'accept-encoding': 'br, gzip' }),
      await call(`${INTENTS}?page=99`, { 'accept-encoding': 'br, gzip' }),
    ]) {
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
      expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
      expect(names(answer.headers.vary)).toContain('accept-encoding');
    }
  });

  test('is applied to a short response if the client refuses the identity encoding', async () => {
    const answer = await ask('{ viewer { kind } }', { 'accept-encoding': 'gzip, identity;q=0' });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(answer.text).data.viewer.kind).toBe('secretKey');
    // Without a supported encoding, the identity encoding is used although it was refused.
    const neither = await ask('{ viewer { kind } }', { 'accept-encoding': 'zstd, identity;q=0' });
    expect([neither.status, neither.headers['content-encoding']]).toEqual([200, undefined]);
  });

  test('is omitted for a response without a body', async () => {
    const preflight = await rawCall(`${api.url}${INTENTS}`, {
      method: 'OPTIONS',
      headers: { 'accept-encoding': 'gzip, identity;q=0' },
    });
    expect([preflight.status, preflight.headers['content-encoding'], preflight.bytes.length]).toEqual([
      204,
      undefined,
      0,
    ]);
  });

  test('is omitted for an event stream, which sends each event immediately', async () => {
    const query = 'subscription { events { type } }';
    let creating: NodeJS.Timeout | undefined;
    const types = await new Promise<{ type: string | undefined; encoding: string | undefined; first: string }>(
      (resolve, reject) => {
        const asked = httpRequest(
          `${api.url}/graphql`,
          {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              accept: 'text/event-stream',
              'accept-encoding': 'gzip, br',
              'x-api-key': key,
            },
          },
          (response) => {
            let seen = '';
            response.setEncoding('utf8').on('data', (text: string) => {
              seen += text;
              if (!seen.includes('event: next')) return;
              const { 'content-type': type, 'content-encoding': encoding } = response.headers;
              resolve({ type, encoding, first: seen });
              response.destroy();
            });
          },
        );
        asked.on('error', reject);
        asked.end(JSON.stringify({ query }));
        // The stream only contains events after its start, which has no response of its own.
        creating = setInterval(() => api.rest('POST', INTENTS, { key, body: { amount: '2' } }).catch(reject), 200);
      },
    ).finally(() => clearInterval(creating));
    expect(types.type).toContain('text/event-stream');
    expect(types.encoding ?? 'none').not.toMatch(/gzip|br/);
    expect(types.first).toContain('payment_intent.created');
  });

  test('uses the files of the pages that were compressed at build time', async () => {
    const built = loadBuiltPages();
    const name = built?.firstFiles('dashboard').scripts[0] ?? '';
    const plain = built?.files.get(name)?.plain.toString();
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip, br;q=0', 'gzip'],
      ['gzip;q=0', undefined],
    ] as const) {
      const answer = await call(`/assets/${name}`, { 'accept-encoding': accepted });
      expect(answer.headers['content-encoding'], accepted).toBe(encoding);
      expect(answer.text === plain).toBe(true);
    }
  });

  test('can be disabled by configuration', async () => {
    const off = await openRestApi({ environment: { COMPRESSIONS_AT_ONCE: '0' } });
    const answer = await rawCall(`${off.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
      body: JSON.stringify({ query: INTROSPECTION }),
    });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
    expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
    await off.close();
  });
});

describe('every response of /graphql', () => {
  const query = '{ viewer { kind } }';
  const json = { 'content-type': 'application/json' };
  const send = (method: string, headers: Record<string, string>, body?: string, search = '') =>
    rawCall(`${api.url}/graphql${search}`, { method, headers, ...(body === undefined ? {} : { body }) });

  test.each<[name: string, status: number, send: () => ReturnType<typeof rawCall>]>([
    ['data', 200, () => send('POST', json, JSON.stringify({ query }))],
    ['data by GET', 200, () => send('GET', {}, undefined, `?query=${encodeURIComponent(query)}`)],
    ['an error', 401, () => send('POST', json, JSON.stringify({ query: '{ paymentIntents { totalCount } }' }))],
    ['no GraphQL', 400, () => send('POST', json, '{}')],
    ['a wrong key', 401, () => send('POST', { ...json, 'x-api-key': 'sk_test_wrong' }, JSON.stringify({ query }))],
    ['a method that it has not', 405, () => send('PUT', json, '{}')],
    ['a type that it does not read', 415, () => send('POST', { 'content-type': 'text/csv' }, 'a,b')],
    ['a large body', 413, () => send('POST', json, JSON.stringify({ query, variables: { a: 'x'.repeat(2 ** 20) } }))],
    ['a page', 200, () => send('GET', { accept: 'text/html' })],
    ['a preflight', 204, () => send('OPTIONS', { origin: 'https://shop.example' })],
    ['a stream', 200, () => send('POST', { ...json, accept: 'text/event-stream' }, JSON.stringify({ query }))],
    [
      'a page of another origin',
      200,
      () => send('POST', { ...json, origin: 'https://shop.example' }, JSON.stringify({ query })),
    ],
    [
      'a page of another origin that follows a stream',
      200,
      () =>
        send(
          'POST',
          { ...json, origin: 'https://shop.example', accept: 'text/event-stream' },
          JSON.stringify({ query }),
        ),
    ],
  ])('is not cached, and lists in Vary the headers that determine it: %s', async (_name, status, sent) => {
    const { status: answered, headers } = await sent();
    expect([answered, headers['cache-control']]).toEqual([status, 'no-store']);
    const isPage = headers['content-type']?.startsWith('text/html');
    const deciding = isPage ? ['accept'] : ['accept', 'accept-encoding', 'origin'];
    expect(names(headers.vary)).toEqual(expect.arrayContaining(deciding));
  });

  test('reveals nothing about the program for an invalid Host header', async () => {
    const answer = await send('POST', { ...json, host: '[' }, JSON.stringify({ query }));
    expect([answer.status, answer.headers['cache-control']]).toEqual([400, 'no-store']);
    expect(answer.text).not.toMatch(/node_modules|\.js|Invalid URL/);
  });
});

test('a REST response lists in Vary the headers that determine its representation', async () => {
  const answer = await call(INTENTS);
  expect(names(answer.headers.vary)).toEqual(expect.arrayContaining(['accept', 'accept-encoding']));
});
