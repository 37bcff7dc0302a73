/** The behaviour that all REST paths share: bodies, methods, errors and headers. */
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const key = api.merchantA.secretKey;
const PATH = '/payments/intents';
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

function post(body: string | Buffer, headers: Record<string, string> = {}) {
  return raw('POST', PATH, { 'x-api-key': key, 'content-type': 'application/json', ...headers }, body);
}

/** Uses Node's own client, because fetch refuses to send some of these requests. */
function raw(method: string, path: string, headers: Record<string, string>, body?: string | Buffer) {
  return new Promise<{ status: number; headers: Record<string, unknown>; code: string | undefined; text: string }>(
    (resolve, reject) => {
      const call = httpRequest(`${api.url}${path}`, { method, headers }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(Buffer.from(chunk));
        const text = Buffer.concat(chunks).toString();
        const isJson = text.startsWith('{');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          code: isJson ? JSON.parse(text).error?.code : undefined,
          text,
        });
      });
      call.on('error', reject);
      call.end(body);
    },
  );
}

describe('a request body', () => {
  test('returns 400 unless it is a JSON object', async () => {
    for (const body of [
      '{',
      'null x',
      '[]',
      '"text"',
      '7',
      'null',
      '{"amount":"1",}',
      "{'amount':'1'}",
      '{"amount":"1"}}',
    ]) {
      const { status, code } = await post(body);
      expect([status, code], body).toEqual([400, 'VALIDATION_ERROR']);
    }
    const { status, code } = await post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]));
    expect([status, code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('returns 415 for another content type or encoding', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/json; charset=latin1',
      '',
    ]) {
      const { status, code } = await post('{"amount":"1"}', { 'content-type': type });
      expect([status, code], type).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    expect((await post('{"amount":"1"}', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post('{"amount":"1"}', { 'content-type': 'application/json;charset=UTF-8' })).status).toBe(200);
  });

  test('returns 413 above 1 MiB, declared or not, and accepts a body at the limit', async () => {
    const filled = (bytes: number) => `{"amount":"1"${' '.repeat(bytes - 14)}}`;
    const large = filled(1024 * 1024 + 1);
    expect(await post(large)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(await post(large, { 'transfer-encoding': 'chunked' })).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect((await post(filled(1024 * 1024))).status).toBe(200);
  });

  test('returns 400 for text that PostgreSQL cannot store and for excessive nesting', async () => {
    const bodies = [
      '{"amount":"1","externalId":"a\\u0000b"}',
      '{"amount":"1","metadata":{"a\\u0000":1}}',
      '{"amount":"1","metadata":{"a":"\\ud800"}}',
      `{"amount":"1","metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
      `{"amount":"1","metadata":{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`,
      `{"amount":"1","x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
    ];
    for (const body of bodies)
      expect(await post(body), body.slice(0, 60)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  test('returns every error of a hundred thousand, and describes the first ones in the message', async () => {
    const wanted = Array.from({ length: 150_000 }, (_, index) => index + 1_000_000);
    const named = wanted.slice(0, 40_000).map((id) => `"f${id}":1`);
    // One error reports that there are more than a hundred IDs.
    for (const [body, count] of [
      [`{"amount":"1","allowedChains":[${wanted.slice(0, 125_000).join(',')}]}`, 125_001],
      [`{"amount":"1",${named.join(',')}}`, 40_000],
    ] as const) {
      const { status, text } = await post(body);
      const { error } = JSON.parse(text);
      expect([status, error.code, error.details.length]).toEqual([400, 'VALIDATION_ERROR', count]);
      expect(error.message).toMatch(new RegExp(`; and ${count - 20} more$`));
      expect(error.message.length).toBeLessThan(2_000);
    }
  });

  test('treats __proto__ and constructor as plain data', async () => {
    expect((await post('{"amount":"1","__proto__":{"x":1}}')).status).toBe(400);
    expect((await post('{"amount":"1","constructor":{}}')).status).toBe(400);
    expect((await post('{"amount":"1","metadata":{"__proto__":{"x":1},"toString":"y"}}')).status).toBe(200);
  });

  test('may be empty if no field is required', async () => {
    for (const body of [undefined, '', '{}']) {
      const call = body === undefined ? { key } : { key, body };
      const { status, body: answer } = await api.rest('POST', `/checkout-sessions/${UNKNOWN}/expire`, call);
      expect([status, answer.error.code]).toEqual([404, 'NOT_FOUND']);
    }
    const { status, body } = await api.rest('POST', `/checkout-sessions/${UNKNOWN}/expire`, {
      key,
      body: { now: true },
    });
    expect([status, body.error.param]).toEqual([400, 'now']);
  });
});

describe('a path', () => {
  test('returns 404 with an error object if it is unknown, with or without a credential', async () => {
    for (const path of [
      '/',
      '/payments',
      '/payments/intent',
      '/payments/intents/a/b/c/d',
      '/v2/payments',
      '/constructor',
      '/%E0%A4%A',
      '/payments/intents/%E0%A4%A',
    ]) {
      for (const call of [{}, { key }]) {
        const { status, body } = await api.rest('GET', path, call);
        expect([status, body.success, body.error.code], path).toEqual([404, false, 'NOT_FOUND']);
      }
    }
  });

  test('returns 405 with the allowed methods for any other method', async () => {
    const answer = await api.rest('PATCH', PATH, { key, body: {} });
    expect([answer.status, answer.body.error.code, answer.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD, POST, OPTIONS',
    ]);
    expect((await api.rest('DELETE', PATH, { key })).status).toBe(405);
    const options = await raw('OPTIONS', PATH, {});
    expect([options.status, options.headers.allow, options.text]).toEqual([204, 'GET, HEAD, POST, OPTIONS', '']);
    const head = await raw('HEAD', PATH, { 'x-api-key': key });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(10);
  });

  test('allows other origins only on routes for client secrets and on public routes', async () => {
    const closed = await raw('OPTIONS', PATH, {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
    });
    expect(closed.headers['access-control-allow-origin']).toBeUndefined();
    const session = `/checkout-sessions/${UNKNOWN}/options`;
    const open = await raw('OPTIONS', session, {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
    });
    expect([open.status, open.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(String(open.headers['access-control-allow-headers'])).toContain('x-client-secret');
    const refused = await raw('GET', session, { origin: 'https://shop.example' });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, '*']);
    expect(String(open.headers['access-control-allow-headers'])).not.toContain('x-api-key');
    const prices = await raw('OPTIONS', '/prices', {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-api-key',
    });
    expect(prices.headers['access-control-allow-origin']).toBe('*');
    expect(String(prices.headers['access-control-allow-headers'])).toContain('x-api-key');
    const invalid = await raw('GET', '/prices', { origin: 'https://shop.example' });
    expect([invalid.status, invalid.headers['access-control-allow-origin']]).toEqual([400, '*']);
  });
});

describe('an ID in a body', () => {
  test.each([
    ['/subscriptions', { customerAccountId: '', productPlanId: UNKNOWN, productPlanPriceId: UNKNOWN }],
    ['/invoices', { customerAccountId: '', items: [{ description: 'Tea', amount: '1' }] }],
    ['/payment-links', { name: 'Tea', slug: 'tea', taxRateId: '' }],
    ['/product-plans', { name: 'Tea', prices: [{ amount: '1' }], taxRateId: '' }],
    ['/checkout-sessions', { paymentIntentId: '' }],
    ['/payments/intents', { amount: '1', customerAccountId: '' }],
  ])('of %s may be a UUID of any version, and returns 404 if it does not exist', async (path, body) => {
    const named = Object.keys(body).find((field) => Reflect.get(body, field) === '') ?? '';
    for (const id of ['11111111-1111-1111-1111-111111111111', '00000000-0000-0000-0000-000000000001', UNKNOWN]) {
      const appId = path === '/payments/intents' ? {} : { appId: api.merchantA.appId };
      const { status, body: answer } = await api.rest('POST', path, { key, body: { ...body, ...appId, [named]: id } });
      expect([status, answer.error.code, answer.error.param], id).toEqual([404, 'NOT_FOUND', named]);
    }
  });

  test('is case-insensitive in paths, queries, bodies and variables', async () => {
    const { appId } = api.merchantA;
    const body = { amount: '1' };
    const { id } = (await api.rest('POST', PATH, { key, body })).body.data;
    expect((await api.rest('GET', `${PATH}/${id.toUpperCase()}`, { key })).body.data?.id).toBe(id);
    const listed = await api.rest('GET', `${PATH}?pageSize=1&appId=${appId.toUpperCase()}`, { key });
    expect([listed.status, listed.body.data?.[0]?.id]).toEqual([200, id]);
    const customer = { appId: appId.toUpperCase(), name: 'Ada' };
    expect((await api.rest('POST', '/customers', { key, body: customer })).status).toBe(200);
    const session = (await api.rest('POST', '/checkout-sessions', { key, body: { paymentIntentId: id } })).body.data;
    const path = `/checkout-sessions/${session.id.toUpperCase()}`;
    expect((await api.rest('GET', path, { clientSecret: session.clientSecret })).body.data?.id).toBe(session.id);
    const page = '{ paymentIntentsPage(appId: $appId, pageSize: 1) { items { id } } }';
    const literal = page.replace('$appId', `"${appId.toUpperCase()}"`);
    for (const document of [`query ($appId: ID!) ${page}`, literal]) {
      const variables = document === literal ? {} : { appId: appId.toUpperCase() };
      const { data, errors } = await api.graphql(document, variables, { key });
      expect([data?.paymentIntentsPage.items, errors]).toEqual([[{ id }], undefined]);
    }
  });

  test('returns 403 for an app that does not exist, as for another merchant’s app', async () => {
    const ids = { customerAccountId: UNKNOWN, productPlanId: UNKNOWN, productPlanPriceId: UNKNOWN };
    const body = { appId: '11111111-1111-1111-1111-111111111111', ...ids };
    const { status, body: answer } = await api.rest('POST', '/subscriptions', { key, body });
    expect([status, answer.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });
});

describe('a request header section', () => {
  test('returns 431 with an error object if it is too large', async () => {
    const { status, code } = await raw('GET', `${PATH}?x=${'y'.repeat(20_000)}`, { 'x-api-key': key });
    expect([status, code]).toEqual([431, 'VALIDATION_ERROR']);
  });
});

describe('a response', () => {
  test('contains the request ID on every path, including key sets, health checks and API descriptions', async () => {
    for (const path of [
      '/.well-known/jwks.json',
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/link/nowhere',
      '/graphql',
    ]) {
      const { headers } = await fetch(`${api.url}${path}`, { headers: { 'x-request-id': 'named-by-me' } });
      expect.soft([path, headers.get('x-request-id')]).toEqual([path, 'named-by-me']);
    }
  });

  test.each(['/openapi.json', '/v1/openapi.json', '/docs', '/docs/api'])(
    'allows only reading for the description at %s',
    async (path) => {
      const { status, headers } = await raw('POST', path, {});
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect((await raw('HEAD', path, {})).status).toBe(200);
    },
  );

  test('contains the x-request-id of the caller or a new one, including in errors', async () => {
    const named = await api.rest('GET', PATH, { headers: { 'x-request-id': 'my-request-0001' } });
    expect([named.headers.get('x-request-id'), named.body.error.requestId]).toEqual([
      'my-request-0001',
      'my-request-0001',
    ]);
    const foul = await api.rest('GET', PATH, { key, headers: { 'x-request-id': 'a b<script>' } });
    expect(foul.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await api.rest('GET', '/nowhere')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is a problem document if the Accept header requests one', async () => {
    const { status, headers, body } = await api.rest('GET', `${PATH}/${UNKNOWN}?x=1`, {
      key,
      headers: { accept: 'application/problem+json, application/json;q=0.5' },
    });
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({
      type: 'urn:sluice:error:validation_error',
      status,
      code: 'VALIDATION_ERROR',
      param: 'x',
      instance: `${PATH}/${UNKNOWN}`,
    });
    const plain = await api.rest('GET', `${PATH}/${UNKNOWN}`, {
      key,
      headers: { accept: 'application/problem+json;q=0' },
    });
    expect(plain.body.error.code).toBe('NOT_FOUND');
  });

  test('forbids caching and content type sniffing', async () => {
    const { headers } = await api.rest('GET', PATH, { key });
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
  });

  test('reveals nothing but the request ID after an internal error', async () => {
    await api.database.$executeRaw`ALTER TABLE payment_intent RENAME TO payment_intent_gone`;
    try {
      const { status, text, body } = await api.rest('GET', PATH, { key });
      expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(text).not.toMatch(/prisma|relation|payment_intent|\.ts/i);
    } finally {
      await api.database.$executeRaw`ALTER TABLE payment_intent_gone RENAME TO payment_intent`;
    }
  });
});

describe('the published documents', () => {
  test('describe both APIs with the address of this installation', async () => {
    const payments = await (await fetch(`${api.url}/openapi.json`)).json();
    expect([payments.openapi, payments.servers]).toEqual(['3.1.0', [{ url: api.world.config.publicUrl }]]);
    expect(payments.info.contact.url).toBe(api.world.config.publicUrl);
    const card = await (await fetch(`${api.url}/v1/openapi.json`)).json();
    expect([card.openapi, card.info.version]).toEqual(['3.1.0', '0.1.0']);
    expect(Object.keys(card.paths).every((path) => path.startsWith('/v1/'))).toBe(true);
  });

  test('are displayed by a page that loads only its own files', async () => {
    const page = await fetch(`${api.url}/docs/api`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const html = await page.text();
    expect(html).not.toMatch(/<script>|<style|style=|https?:/);
    for (const [, asset] of html.matchAll(/(?:src|href)="(\/docs\/api\/[^"]+)"/g)) {
      const file = await fetch(`${api.url}${asset}`);
      expect(file.status, asset).toBe(200);
      await file.arrayBuffer();
    }
    expect((await fetch(`${api.url}/docs/../package.json`)).status).toBe(404);
  });
});
