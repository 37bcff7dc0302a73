/** Invalid bodies for the REST API. */
import fc, { type Arbitrary } from 'fast-check';
import { restRoutes } from '../../../generated/rest.ts';
import type { Header, RequestAttack } from './attack.ts';
import { credential } from './graphql-attacks.ts';

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const taking = restRoutes.filter((route) => route.method === 'POST' || route.method === 'PUT');
const repeated = (max: number, make: (n: number) => string): Arbitrary<string> => fc.integer({ min: 1, max }).map(make);
const joined = (n: number, piece: (index: number) => string): string =>
  Array.from({ length: n }, (_, index) => piece(index)).join(',');

const fields = [
  'amount',
  'metadata',
  'items',
  'name',
  'email',
  'prices',
  'appId',
  'idempotencyKey',
  'url',
  'types',
  'allowedChains',
];
const values = [
  ...[
    'null',
    'true',
    '-1',
    '0',
    '1e400',
    '-0',
    '1e-400',
    '12345678901234567890123',
    '""',
    '[]',
    '{}',
    '[[]]',
    '[null]',
  ],
  ...['"\\u0000"', '"\\ud800"', '"\ufeff"', '"__proto__"', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}'],
  ...['{"toString":1,"valueOf":1,"toJSON":1,"then":1}', '{"length":4294967295}', '"1,5"', '"0x10"', '"01"', '"NaN"'],
  ...[`"${'9'.repeat(5_000)}"`, `"${'x'.repeat(70_000)}"`, `[${'1,'.repeat(5_000)}1]`, `[${'{},'.repeat(2_000)}{}]`],
];

const hostileBody: Arbitrary<string | Uint8Array> = fc.oneof(
  repeated(200_000, (n) => `{"a":${'['.repeat(n)}${']'.repeat(n)}}`),
  repeated(100_000, (n) => `{"metadata":${'{"a":'.repeat(n)}1${'}'.repeat(n)}}`),
  repeated(300_000, (n) => '['.repeat(n)),
  repeated(45_000, (n) => `{${joined(n, (index) => `"f${index}":${index}`)}}`),
  repeated(45_000, (n) => `{"metadata":{${joined(n, (index) => `"k${index}":"v"`)}}}`),
  repeated(40_000, (n) => `{${joined(n, () => '"amount":"1"')}}`),
  repeated(80_000, (n) => `{"items":[${joined(n, () => '{"name":1}')}]}`),
  repeated(200_000, (n) => `{"allowedChains":[${joined(n, String)}]}`),
  repeated(1_100_000, (n) => `{"amount":"1"${' '.repeat(n)}}`),
  repeated(1_100_000, (n) => `{"name":"${'n'.repeat(n)}"}`),
  repeated(1_100_000, (n) => `{"${'n'.repeat(n)}":1}`),
  repeated(150_000, (n) => `{"name":"${'\\u0041'.repeat(n)}"}`),
  fc
    .array(
      fc.tuple(
        fc.constantFrom(...fields, '__proto__', 'constructor', '', '\\u0000', 'a.b', 'a[0]'),
        fc.constantFrom(...values),
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((held) => `{${held.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  fc
    .array(fc.tuple(fc.constantFrom(...fields, '__proto__'), fc.constantFrom(...values)), {
      minLength: 1,
      maxLength: 4,
    })
    .map((held) => `{"amount":"1","metadata":{${held.map(([name, value]) => `"${name}":${value}`).join(',')}}}`),
  fc.constantFrom(
    '',
    ' ',
    '{',
    '}',
    '{}',
    '[]',
    'null',
    '"x"',
    '7',
    '{"a":1}{"b":2}',
    '{"a":1,}',
    "{'a':1}",
    '{"a":NaN}',
    '{"a":01}',
    '{"a":"\n"}',
    '\ufeff{}',
    '{"a":1}\u0000',
    '{/**/}',
    '{"amount":',
  ),
  fc.uint8Array({ minLength: 1, maxLength: 200 }),
  fc
    .uint8Array({ minLength: 1, maxLength: 20 })
    .map((bytes) => Buffer.concat([Buffer.from('{"name":"'), bytes, Buffer.from('"}')])),
);

const head: Arbitrary<Header[]> = fc.tuple(
  fc.constantFrom<Header>(
    ...Array<Header>(9).fill(['content-type', 'application/json']),
    ...['text/plain', 'application/json; charset=utf-7', 'application/json, text/plain', 'application/jsonx', ''].map(
      (type): Header => ['content-type', type],
    ),
  ),
  fc.constantFrom<Header>(
    ...Array<Header>(9).fill(['accept', 'application/json']),
    ['accept', 'application/problem+json'],
    ['content-encoding', 'gzip'],
    ['content-encoding', 'br, gzip'],
    ['content-type', 'text/xml'],
  ),
);

export const bodyAttack: Arbitrary<RequestAttack> = fc
  .tuple(fc.constantFrom(...taking), hostileBody, head, credential, fc.constantFrom('length', 'length', 'chunked'))
  .map(([route, body, headers, whose, framing]) => ({
    over: 'http',
    kind: 'a body',
    credential: whose,
    method: route.method,
    path: route.path.replace(/:\w+/g, UNKNOWN),
    headers: framing === 'chunked' ? [...headers, ['transfer-encoding', 'chunked']] : headers,
    body,
  }));
