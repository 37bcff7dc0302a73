/** Requests to /graphql: hostile documents in every form of request, and hostile parameters next to a valid document. */
import fc, { type Arbitrary } from 'fast-check';
import type { Credential, Header, RequestAttack } from './attack.ts';
import { hostileDocument } from './hostile-documents.ts';

export const credential: Arbitrary<Credential> = fc.constantFrom('none', 'none', 'secret', 'publishable');
const json: Header = ['content-type', 'application/json'];
const accepts = fc.constantFrom<Header[]>(
  [],
  [['accept', 'application/json']],
  [['accept', 'application/graphql-response+json']],
  [['accept', 'text/event-stream']],
  [['accept', 'text/plain;q=0, */*']],
);
const sound = 'query Q($id: ID) { viewer { kind } }';
const KINDS = { document: 'a document', params: 'parameters', body: 'a body' };

/** Mostly sent by POST as JSON, and occasionally in the query string of a GET or with another content type. */
const documentAttack: Arbitrary<RequestAttack> = fc
  .tuple(
    hostileDocument,
    credential,
    accepts,
    fc.constantFrom('json', 'json', 'json', 'json', 'json', 'json', 'get', 'graphql', 'form'),
  )
  .map(([{ kind, text }, whose, accept, as]) => {
    const attack = { over: 'http', kind: `${KINDS.document}: ${kind}`, credential: whose, document: text } as const;
    const query = new URLSearchParams({ query: text.toWellFormed() });
    // The head of a request is limited to this size.
    if (as === 'get' && String(query).length < 8_000)
      return { ...attack, method: 'GET', path: `/graphql?${query}`, headers: accept, body: undefined };
    const typed = (type: string): Header[] => [['content-type', type], ...accept];
    const post = { ...attack, method: 'POST', path: '/graphql' };
    if (as === 'graphql') return { ...post, headers: typed('application/graphql'), body: text.toWellFormed() };
    if (as === 'form') return { ...post, headers: typed('application/x-www-form-urlencoded'), body: String(query) };
    return { ...post, headers: typed('application/json'), body: JSON.stringify({ query: text }) };
  });

const nested = (open: string, close: string, n: number): string => `${open.repeat(n)}1${close.repeat(n)}`;
const many = (n: number): string => Array.from({ length: n }, (_, index) => `"v${index}":${index}`).join(',');

/** Members of the body's object other than the document, as JSON text. */
const hostileMembers: Arbitrary<string> = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }).map((n) => `"variables":${nested('[', ']', n)}`),
  fc.integer({ min: 1, max: 60_000 }).map((n) => `"variables":${nested('{"a":', '}', n)}`),
  fc.integer({ min: 1, max: 60_000 }).map((n) => `"variables":{${many(n)}}`),
  fc.integer({ min: 1, max: 60_000 }).map((n) => `"variables":{"id":[${'1,'.repeat(n)}1]}`),
  fc.integer({ min: 1, max: 900_000 }).map((n) => `"variables":{"id":"${'i'.repeat(n)}"}`),
  fc.integer({ min: 1, max: 30_000 }).map((n) => `"extensions":{${many(n)}}`),
  fc.integer({ min: 1, max: 900_000 }).map((n) => `"operationName":"${'n'.repeat(n)}"`),
  fc.integer({ min: 1, max: 30_000 }).map((n) => `"documentId":"${'d'.repeat(n)}"`),
  fc.constantFrom(
    '"variables":"text"',
    '"variables":[]',
    '"variables":7',
    '"variables":null',
    '"variables":{"__proto__":{"id":"x"}}',
    '"variables":{"id":{"__proto__":1,"toString":null}}',
    '"variables":{"id":"a\\u0000b"}',
    '"variables":{"id":"\\ud800"}',
    '"variables":{"\\ud800":"x"}',
    '"operationName":7',
    '"operationName":""',
    '"operationName":"__proto__"',
    '"operationName":"constructor"',
    '"operationName":["Q"]',
    '"extensions":"text"',
    '"extensions":[]',
    '"extensions":{"persistedQuery":null}',
    '"extensions":{"persistedQuery":{"version":1}}',
    '"extensions":{"persistedQuery":{"version":1,"sha256Hash":""}}',
    '"extensions":{"persistedQuery":{"version":1,"sha256Hash":7}}',
    '"extensions":{"persistedQuery":{"version":2,"sha256Hash":"x"}}',
    `"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}`,
    `"extensions":{"persistedQuery":{"version":1,"sha256Hash":"__proto__"}}`,
    '"documentId":"__proto__"',
    `"documentId":"sha256:${'f'.repeat(64)}"`,
    '"documentId":{}',
    '"id":"x"',
    '"query":"{ nothing }"',
    '"query":null',
    '"query":7',
    '"query":["{ viewer { kind } }"]',
    '"stranger":true',
    '"__proto__":{"query":"{ nothing }"}',
  ),
);

const paramsAttack: Arbitrary<RequestAttack> = fc
  .tuple(fc.array(hostileMembers, { minLength: 1, maxLength: 2 }), credential, accepts, fc.boolean())
  .map(([members, whose, accept, named]) => ({
    over: 'http',
    kind: KINDS.params,
    credential: whose,
    method: 'POST',
    path: '/graphql',
    headers: [json, ...accept],
    body: `{${[...(named ? [`"query":${JSON.stringify(sound)}`] : []), ...members].join(',')}}`,
  }));

const multipart = [
  ['operations', `{"query":"mutation ($f: String) { viewer { kind } }","variables":{"f":null}}`],
  ['map', '{"0":["variables.f"]}'],
]
  .map(([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  .join('');

const bodyAttack: Arbitrary<RequestAttack> = fc
  .record({
    credential,
    type: fc.constantFrom(
      ...[
        'application/json',
        'application/json',
        'application/json; charset=utf-16',
        'application/graphql',
        'text/plain',
      ],
      ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'multipart/form-data', 'x', '/'],
    ),
    encoding: fc.constantFrom('', '', '', 'gzip', 'br', 'deflate', 'identity', 'x, gzip'),
    method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'GET', 'OPTIONS', 'HEAD', 'TRACE'),
    path: fc.constantFrom(
      '/graphql',
      '/graphql',
      '/graphql',
      '/graphql/',
      '/graphql?',
      '/graphql?query=%',
      '/graphql/x',
    ),
    body: fc.oneof(
      fc.constantFrom(
        ...['', ' ', '{', 'null', '[]', '7', '"{ viewer { kind } }"', '{"query":"{ viewer { kind } }"', '\u0000'],
        `[${'{"query":"{ viewer { kind } }"},'.repeat(200)}{"query":"{ nothing }"}]`,
        `${multipart}--x--`,
        `query=${encodeURIComponent('{ nothing }')}&query=x&variables=x`,
      ),
      fc.integer({ min: 1, max: 500_000 }).map((n) => '['.repeat(n)),
      fc.integer({ min: 1, max: 1_200_000 }).map((n) => `{"query":"{ nothing }"${' '.repeat(n)}}`),
      fc.uint8Array({ maxLength: 200 }),
    ),
  })
  .map(({ credential: whose, type, encoding, method, path, body }) => ({
    over: 'http',
    kind: KINDS.body,
    credential: whose,
    method,
    path,
    headers: [['content-type', type], ...(encoding === '' ? [] : [['content-encoding', encoding] as const])],
    body,
  }));

export const graphqlAttack: Arbitrary<RequestAttack> = fc.oneof(
  { weight: 6, arbitrary: documentAttack },
  { weight: 2, arbitrary: paramsAttack },
  { weight: 2, arbitrary: bodyAttack },
);
