/** Requests that are refused, one of each kind that a stranger could send, at its maximum size. */
import { times } from '../../test/fuzz/hostile/flood.ts';
import { renewed } from '../../test/fuzz/hostile/time-refusals.ts';
import type { Sent } from '../../test/setup/api/measured-api.ts';

export type RefusedRequest = {
  name: string;
  /** The content of the request's body, if it must be read before the refusal. */
  parsed?: { document?: string; json: string };
  /** The expected response: a code of the catalog. */
  code: string;
  /** Another request of the same kind that is in no cache. */
  make: (run: number) => Sent;
};

const KEYLESS_BYTES = 15_500;
const KEYED_BYTES = 60_000;
const TOKENS_MOST = 3_900;
const INTENTS = '/payments/intents';
const json = { 'content-type': 'application/json' };

export function refusedRequests(keys: { secretKey: string }): RefusedRequest[] {
  const keyed = { 'x-api-key': keys.secretKey };
  return [...documents(keyed), ...bodies(keyed), ...heads(keyed)];
}

function documents(keyed: Record<string, string>): RefusedRequest[] {
  const keyless = (name: string, text: string) => documentRequest(`${name}, no key`, text, {});
  const comments = `{ viewer { kind } }\n${'#c\n'.repeat(330_000)}`;
  return [
    keyless(
      '16 KB of unknown fields',
      filling(KEYLESS_BYTES, '{ ', (index) => `f${index}`, ' }'),
    ),
    keyless(
      '16 KB of unknown fields with long names',
      filling(KEYLESS_BYTES, '{ ', (index) => `${'n'.repeat(120)}${index}`, ' }'),
    ),
    documentRequest(
      '60 KB of unknown fields, secret key',
      filling(KEYED_BYTES, '{ ', (index) => `f${index}${'x'.repeat(10)}`, ' }'),
      keyed,
    ),
    keyless('650 aliases of one field', `{ ${times(650, (index) => `a${index}: viewer { kind }`)} }`),
    keyless(
      '280 fields of one name with other arguments',
      `{ ${times(280, (index) => `x: paymentIntents(first: ${index}) { nodes { id } }`)} }`,
    ),
    keyless(
      '650 fields in conflict',
      `{ ${times(650, (index) => `a: viewer { ${index % 2 ? 'kind' : '__typename'} }`)} }`,
    ),
    keyless(
      'a cycle of 400 fragments',
      `{ ...F0 } ${times(400, (index) => `fragment F${index} on Query { ...F${(index + 1) % 400} }`)}`,
    ),
    keyless('900 levels', `${'{ viewer '.repeat(900)}{ kind }${' }'.repeat(900)}`),
    documentRequest(
      'too complex, secret key',
      `{ ${times(120, (index) => `a${index}: paymentIntents(first: 100) { nodes { id status } }`)} }`,
      keyed,
    ),
    keyless('900 unknown directives', `{ viewer ${times(900, (index) => `@d${index}`)} { kind } }`),
    keyless('too many tokens', `{ ${times(5_000, () => 'a')} }`),
    keyless('no GraphQL', `{ viewer { kind ${'{ '.repeat(3_000)}`),
    documentRequest(
      '64 KB of comments, no key',
      `{ viewer { kind } }\n${'#c\n'.repeat(21_000)}`,
      {},
      'PAYLOAD_TOO_LARGE',
    ),
    {
      ...documentRequest('1 MB of comments, secret key', comments, keyed, 'PAYLOAD_TOO_LARGE'),
      // The body is within the limit of bodies, so it is read before the document in it is refused.
      parsed: { json: JSON.stringify({ query: comments }) },
    },
  ];
}

function bodies(keyed: Record<string, string>): RefusedRequest[] {
  const rest = (name: string, code: string, body: string, headers: Record<string, string>): RefusedRequest => ({
    name,
    code,
    parsed: { json: body },
    make: () => ({ method: 'POST', path: INTENTS, headers: { ...json, ...headers }, body }),
  });
  const unknown = `{${Array.from({ length: 3_000 }, (_, index) => `"f${index}":${index}`).join(',')}}`;
  const variables = JSON.stringify({
    query: 'query ($id: ID!) { paymentIntent(id: $id) { id } }',
    variables: { id: [['x']] },
  });
  return [
    rest('REST: 3,000 unknown fields, secret key', 'VALIDATION_ERROR', unknown, keyed),
    rest('REST: no JSON, secret key', 'VALIDATION_ERROR', '{"amount":', keyed),
    rest('REST: 400,000 levels, secret key', 'VALIDATION_ERROR', '['.repeat(400_000), keyed),
    {
      ...rest('REST: 1 MB too much, secret key', 'PAYLOAD_TOO_LARGE', `{"amount":"1"${' '.repeat(1_100_000)}}`, keyed),
      parsed: undefined,
    },
    { ...rest('REST: no key', 'AUTHENTICATION_ERROR', '{"amount":"1"}', {}), parsed: undefined },
    {
      name: 'variables of wrong types, secret key',
      code: 'VALIDATION_ERROR',
      parsed: { json: variables },
      make: () => ({ method: 'POST', path: '/graphql', headers: { ...json, ...keyed }, body: variables }),
    },
  ];
}

function heads(keyed: Record<string, string>): RefusedRequest[] {
  const head = (name: string, code: string, headers: Record<string, string>, path = INTENTS): RefusedRequest => ({
    name,
    code,
    make: () => ({ method: 'GET', path, headers }),
  });
  const cursor = JSON.stringify({ query: '{ paymentIntents(after: "x") { nodes { id } } }' });
  const token = ['{"alg":"ES256","kid":"x"}', '{"aud":"dashboard","exp":9999999999}']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
  return [
    head('an unknown key', 'AUTHENTICATION_ERROR', { 'x-api-key': `sk_test_${'a'.repeat(43)}` }),
    head('a forged token', 'AUTHENTICATION_ERROR', { authorization: `Bearer ${token}.${'A'.repeat(86)}` }),
    head('an unknown path', 'NOT_FOUND', {}, '/nothing'),
    head('an invalid id, secret key', 'VALIDATION_ERROR', keyed, `${INTENTS}/x`),
    {
      name: 'a forged cursor, secret key',
      code: 'VALIDATION_ERROR',
      make: () => ({ method: 'POST', path: '/graphql', headers: { ...json, ...keyed }, body: cursor }),
    },
  ];
}

function documentRequest(
  name: string,
  text: string,
  headers: Record<string, string>,
  code = 'VALIDATION_ERROR',
): RefusedRequest {
  const body = (run: number) => JSON.stringify({ query: renewed(text, run) });
  return {
    name,
    code,
    ...(code === 'PAYLOAD_TOO_LARGE' ? {} : { parsed: { document: text, json: body(0) } }),
    make: (run) => ({ method: 'POST', path: '/graphql', headers: { ...json, ...headers }, body: body(run) }),
  };
}

/** As many pieces as fit into this number of bytes and into the limit of tokens. */
function filling(bytes: number, start: string, piece: (index: number) => string, end: string): string {
  const pieces: string[] = [];
  let length = start.length + end.length;
  for (let index = 0; index < TOKENS_MOST; index++) {
    const next = piece(index);
    length += next.length + 1;
    if (length > bytes) break;
    pieces.push(next);
  }
  return `${start}${pieces.join(' ')}${end}`;
}
