/** Valid calls with hostile headers, and unknown paths. */
import fc, { type Arbitrary } from 'fast-check';
import type { Header, RequestAttack } from './attack.ts';

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const claims = (header: object, body: object): string =>
  `${[header, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
const year = 365 * 86_400;
const sub = { sub: UNKNOWN, iss: 'sluice', iat: 0, exp: 9_999_999_999, jti: UNKNOWN };
const unsigned = claims({ alg: 'none', typ: 'JWT' }, { ...sub, aud: 'dashboard' });
const tokens = [
  ...['', ' ', 'x', '.', '..', 'a.b.c', '....', 'e30.e30.', 'e30.e30.e30', 'null', '💥'],
  unsigned,
  `${unsigned}c2ln`,
  `${claims({ alg: 'HS256', kid: 'x' }, { ...sub, aud: 'card' })}c2ln`,
  `${claims({ alg: 'ES256', kid: "' OR 1=1 --" }, { ...sub, aud: 'payer' })}${'A'.repeat(86)}`,
  `${claims({ alg: 'ES256', kid: '../../../../etc/passwd' }, sub)}${'A'.repeat(86)}`,
  `${claims({ alg: 'ES256', jku: 'http://127.0.0.1/keys', x5u: 'http://127.0.0.1/' }, sub)}${'A'.repeat(86)}`,
  `${claims({ alg: 'EdDSA', crit: ['x'], b64: false }, { ...sub, nbf: year })}${'A'.repeat(86)}`,
  `${claims({ alg: 'ES256', kid: 'k'.repeat(2_000) }, { ...sub, aud: Array(50).fill('dashboard') })}${'A'.repeat(86)}`,
  `${claims({ alg: 'ES256' }, { ...sub, exp: 'never', sub: { id: 1 } })}${'A'.repeat(86)}`,
];
const keys = [
  '',
  ' ',
  'sk_test_',
  'sk_live_x',
  'pk_test_x',
  'op_x',
  `sk_test_${'a'.repeat(43)}`,
  'sk_test_\u00ff',
  "' OR 1=1 --",
  'k'.repeat(4_000),
];

/** Latin-1 without line breaks, which is what a header can contain. */
const value = fc.oneof(
  fc.constantFrom('', ' ', 'x', ',', '\u00ff\u00fe', '\t', 'a, b', '"', '%00', '..', '__proto__', '-1', '1e9', 'null'),
  fc.integer({ min: 1, max: 6_000 }).map((n) => 'h'.repeat(n)),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 80 }),
);
const pairs = (name: string, values: readonly string[]): Arbitrary<Header[]> =>
  fc.constantFrom(...values).map((held): Header[] => [[name, held]]);
const times = (most: number, make: (index: number) => Header): Arbitrary<Header[]> =>
  fc.integer({ min: 1, max: most }).map((n) => Array.from({ length: n }, (_, index) => make(index)));

const hostileHeaders: Arbitrary<Header[]> = fc.oneof(
  pairs('authorization', [
    ...tokens.map((token) => `Bearer ${token}`),
    'Bearer',
    'bearer x',
    'Basic eDp5',
    'Digest x',
    'Bearer  x y',
  ]),
  pairs('x-api-key', [...keys, ...tokens.filter((token) => token !== '💥')]),
  pairs('x-client-secret', keys),
  fc.constant<Header[]>([
    ['x-api-key', 'sk_test_a'],
    ['x-api-key', 'sk_test_b'],
    ['authorization', 'Bearer x'],
    ['authorization', 'Bearer y'],
  ]),
  fc
    .constantFrom(
      'idempotency-key',
      'x-request-id',
      'x-forwarded-for',
      'forwarded',
      'traceparent',
      'origin',
      'cookie',
      'user-agent',
      'accept',
      'accept-language',
      'accept-encoding',
      'if-none-match',
      'range',
      'content-type',
      'prefer',
      'x-http-method-override',
      'x-forwarded-host',
      'x-original-url',
    )
    .chain((name) => value.map((held): Header[] => [[name, held]])),
  pairs('x-forwarded-for', [
    '127.0.0.1',
    '::1',
    '::ffff:1.2.3.4',
    'fe80::1%eth0',
    '1.2.3.4:80',
    '[::1]:80',
    ',,,',
    '0x7f.1',
    '1.2.3.4, 5.6.7.8',
    `${'9.9.9.9, '.repeat(400)}1.1.1.1`,
    'unknown',
    ':::',
    '999.1.1.1',
    '1::2::3',
  ]),
  times(60, () => ['x-forwarded-for', '9.9.9.9']),
  times(60, (index) => ['idempotency-key', `key-${index}`]),
  times(60, () => ['x-request-id', 'twice']),
  times(90, (index) => [`x-stranger-${index}`, 'x']),
  times(30, () => ['accept', 'application/problem+json']),
  pairs('host', ['', 'evil.example', '127.0.0.1:1', 'a'.repeat(300), '[::1', 'x y', '..', '@']),
  pairs('accept', [
    'application/problem+json',
    'application/problem+json;q=0',
    'text/html',
    '*/*;q=2',
    'application/json;q=',
    `${'a/b,'.repeat(1_500)}*/*`,
  ]),
  pairs('expect', ['100-continue', '200-ok', 'x']),
  pairs('upgrade', ['h2c', 'websocket', 'TLS/1.0', 'x']),
  pairs('if-modified-since', ['x', 'Thu, 01 Jan 1970 00:00:00 GMT']),
);

const targets = [
  '/payments/intents',
  '/prices?asset=ETH',
  `/payments/intents/${UNKNOWN}`,
  '/balance',
  '/healthz',
  '/readyz',
  '/.well-known/jwks.json',
  '/openapi.json',
  `/invoice/${UNKNOWN}?token=x`,
  '/v1/wallet/profile',
  '/graphql?query=%7Bviewer%7Bkind%7D%7D',
  '/nothing',
];

const headed: Arbitrary<RequestAttack> = fc
  .tuple(
    fc.array(hostileHeaders, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...targets),
    fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS'),
    fc.constantFrom('none', 'none', 'secret'),
  )
  .map(([headers, path, method, credential]) => ({
    over: 'http',
    kind: 'headers',
    credential,
    method,
    path,
    headers: headers.flat(),
    body: undefined,
  }));

/** Requests with a body, for which an Idempotency-Key has an effect. */
const keyed: Arbitrary<RequestAttack> = fc
  .tuple(
    fc.array(hostileHeaders, { minLength: 1, maxLength: 2 }),
    value,
    fc.constantFrom('/payments/intents', '/customers', '/graphql'),
  )
  .map(([headers, key, path]) => ({
    over: 'http',
    kind: 'headers of a write',
    credential: 'secret',
    method: 'POST',
    path,
    headers: [['content-type', 'application/json'], ['idempotency-key', key], ...headers.flat()],
    body:
      path === '/graphql'
        ? '{"query":"mutation { createPaymentIntent(input: {amount: \\"1\\"}) { id } }"}'
        : '{"amount":"1"}',
  }));

const places = [
  ...[
    '/%',
    '/%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/../../etc/passwd',
    '//',
    '//evil.example/',
    '/payments//intents',
    '/payments/intents/',
  ],
  ...[
    '/assets/../../package.json',
    '/assets/%2e%2e/x',
    '/assets/',
    '/images/http://127.0.0.1/',
    '/dashboard/%ff',
    '/checkout/%00',
    '/link/',
    '/pay/%',
  ],
  ...[
    `/payments/intents/${'a'.repeat(3_000)}`,
    `/payments/intents/%F0%9F%92%A5`,
    '/payments/intents/..%2f',
    '/v1/',
    '/V1/wallet',
    '/graphql/../graphql',
    '/;',
    '/*',
    '/?',
    '/payments/intents?',
  ],
  ...[
    '/payments/intents?page=1&page=2',
    '/payments/intents?__proto__[x]=1',
    '/payments/intents?page[]=1',
    '/payments/intents?%',
    '/payments/intents?page=%00',
    '/prices?asset=%ff',
    '/metrics',
    '/metrics?x',
  ],
  ...[
    'http://evil.example/payments/intents',
    'http://[::1/',
    '/events?after=99999999999999999999',
    '/events?types=',
    `/events?types=${'a,'.repeat(3_000)}`,
    `/payments/intents?${'a=1&'.repeat(2_000)}`,
  ],
];

const lost: Arbitrary<RequestAttack> = fc
  .tuple(
    fc.constantFrom(...places),
    fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'),
    fc.constantFrom('none', 'secret'),
  )
  .map(([path, method, credential]) => ({
    over: 'http',
    kind: 'paths',
    credential,
    method,
    path,
    headers: [],
    body: undefined,
  }));

export const headerAttack: Arbitrary<RequestAttack> = fc.oneof(
  { weight: 4, arbitrary: headed },
  { weight: 1, arbitrary: keyed },
  { weight: 2, arbitrary: lost },
);
