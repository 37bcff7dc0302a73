/** The limits of documents, and the cost of refused ones, which is counted and not timed. */
import { GraphQLError, getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseDocument, validateDocument } from '../../../src/api/graphql/requests/read-document.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { GatewayError } from '../../../src/errors.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const { graphql: limits } = parseConfig({ DATABASE_URL: 'postgres://localhost/none', PRICE_SOURCE: 'fixed' });
const repeat = (count: number, print: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => print(index)).join(' ');

function refusalOf(text: string): GatewayError | GraphQLError | undefined {
  try {
    return validateDocument(schema, parseDocument(text, { ...limits, maxBytes: limits.documentBytes }))[0];
  } catch (error) {
    if (error instanceof GatewayError || error instanceof GraphQLError) return error;
    throw error;
  }
}

describe('document limits', () => {
  test.each([
    ['fields', 'breadth', `{ ${repeat(401, (n) => `a${n}: __typename`)} }`],
    [
      'levels',
      'depth',
      `{ paymentIntents { nodes ${'{ checkoutSession { paymentIntent '.repeat(6)} { id } ${'} }'.repeat(6)} } }`,
    ],
    ['operations', 'operations', repeat(21, (n) => `query q${n} { viewer { kind } }`)],
    ['fragments', 'fragments', `{ ...f0 } ${repeat(101, (n) => `fragment f${n} on Query { a: __typename }`)}`],
    ['variables', 'variables', `query (${repeat(201, (n) => `$v${n}: ID`)}) { viewer { kind } }`],
    ['directives', 'directives', `{ ${repeat(40, (n) => `a${n}: __typename${' @include(if: true)'.repeat(6)}`)} }`],
    ['directives of variables', 'directives', `query ($v: ID${' @nope'.repeat(201)}) { viewer { kind } }`],
    [
      'directives of fragments',
      'directives',
      `{ ...f } fragment f on Query { viewer { ... ${'@nope '.repeat(201)} { kind } } }`,
    ],
    ['meeting selections', 'merges', `{ ${repeat(100, () => 'viewer { kind }')} }`],
  ])('refuse too many %s with the number and the limit', (_, param, text) => {
    expect(refusalOf(text)).toMatchObject({ code: 'VALIDATION_ERROR' });
    const details = (refusalOf(text) as GatewayError).details ?? [];
    expect(details.map((fault) => fault.param)).toContain(param);
    expect(details.every((fault) => /^is \d+, at most \d+$/.test(fault.message))).toBe(true);
  });

  test('accept 400 aliases', () => {
    expect(refusalOf(`{ ${repeat(400, (n) => `a${n}: __typename`)} }`)).toBeUndefined();
  });

  test('accept 200 directives', () => {
    expect(refusalOf(`{ ${repeat(200, (n) => `a${n}: __typename @include(if: true)`)} }`)).toBeUndefined();
  });

  test('accept the usual introspection query', () => {
    expect(
      refusalOf(getIntrospectionQuery({ oneOf: true, specifiedByUrl: true, schemaDescription: true })),
    ).toBeUndefined();
  });

  test('refuse an introspection of deeply nested lists', () => {
    const nested =
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }';
    expect(refusalOf(nested)?.message).toMatch(/introspection/i);
  });

  test('refuse conflicting fields with the same response name', () => {
    expect(refusalOf('{ a: viewer { kind } a: apps { id } }')?.message).toMatch(/conflict/);
  });

  test.each([
    ['a variable that is not defined', 'query { paymentIntent(id: $id) { id } }'],
    ['a variable that is not used', 'query ($id: ID!) { viewer { kind } }'],
    ['a fragment that is not there', '{ viewer { ...nope } }'],
    ['a fragment that is not used', '{ viewer { kind } } fragment f on Viewer { kind }'],
    ['a cycle of fragments', '{ viewer { ...f } } fragment f on Viewer { ...f }'],
    ['a directive that is not known', '{ viewer { kind @nope } }'],
    ['a directive twice', '{ viewer { kind @skip(if: true) @skip(if: true) } }'],
  ])('refuse %s', (_, text) => {
    expect(refusalOf(text)).toBeInstanceOf(GraphQLError);
  });
});

describe('a refused document', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi();
  });

  test('is reported with its first errors only', async () => {
    const { status, errors } = await api.graphql(`{ ${repeat(390, (n) => `f${n}`)} }`);
    expect(status).toBe(400);
    expect(errors?.length).toBe(5);
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });

  test('names the argument of each invalid literal in one pass', async () => {
    const { errors } = await api.graphql(
      '{ a: paymentIntent(id: "x") { id } b: paymentIntents(first: "y") { nodes { id } } c: paymentIntent { id } }',
    );
    expect(errors?.map((error) => error.extensions.param)).toEqual(['id', 'first', undefined]);
  });

  test('names every error of the variables at once', async () => {
    const input = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`unknown${n}`, 1]));
    const { errors } = await api.graphql(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      { input },
      { key: api.merchantA.secretKey },
    );
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.details?.length).toBeGreaterThanOrEqual(41);
  });

  test('is not executed if variables are invalid', async () => {
    const { status, errors } = await api.graphql(
      'query ($first: Int!) { paymentIntents(first: $first) { nodes { id } } }',
      { first: 'many' },
      { key: api.merchantA.secretKey },
    );
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.param).toBe('first');
  });
});

describe('size limits', () => {
  let api: Awaited<ReturnType<typeof openRestApi>>;
  beforeAll(async () => {
    api = await openRestApi({ environment: { RATE_LIMIT_KEYLESS_PER_SECOND: '1000' } });
  });
  const comment = (bytes: number) => `{ viewer { kind } } #${'x'.repeat(bytes)}`;

  test('accept a document of 16 KiB without a credential and of 64 KiB with one', async () => {
    const key = api.merchantA.secretKey;
    expect((await api.graphql(comment(16_000))).status).toBe(200);
    const large = await api.graphql(comment(17_000));
    expect(large.status).toBe(413);
    expect(large.errors?.[0]?.extensions.code).toBe('PAYLOAD_TOO_LARGE');
    expect((await api.graphql(comment(60_000), {}, { key })).status).toBe(200);
    expect((await api.graphql(comment(66_000), {}, { key })).status).toBe(413);
    const plain = { headers: { accept: 'application/json' } };
    expect((await api.graphql(comment(17_000), {}, plain)).status).toBe(413);
  });

  test('accept a body of 64 KiB without a credential and of 1 MiB with one', async () => {
    const variables = (bytes: number) => ({ unused: 'x'.repeat(bytes) });
    expect((await api.graphql('{ viewer { kind } }', variables(60_000))).status).toBe(200);
    expect((await api.graphql('{ viewer { kind } }', variables(70_000))).status).toBe(413);
    const key = api.merchantA.secretKey;
    expect((await api.graphql('{ viewer { kind } }', variables(1_000_000), { key })).status).toBe(200);
    expect((await api.graphql('{ viewer { kind } }', variables(1_050_000), { key })).status).toBe(413);
  });

  test('apply to a body without a declared length', async () => {
    const stream = (bytes: number) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(`{"query":"{ viewer { kind } }","variables":{"a":"`));
          for (let sent = 0; sent < bytes; sent += 10_000)
            controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
          controller.enqueue(new TextEncoder().encode('"}}'));
          controller.close();
        },
      });
    const post = (bytes: number) =>
      fetch(`${api.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: stream(bytes),
        duplex: 'half',
      } as RequestInit);
    expect((await post(50_000)).status).toBe(200);
    expect((await post(80_000)).status).toBe(413);
  });

  test('accept a REST body of 64 KiB without a credential and of 1 MiB with one', async () => {
    const body = { amount: '10.00', metadata: { note: 'x'.repeat(70_000) } };
    const open = await api.rest('POST', '/payment-links/none/checkout', { body });
    expect(open).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    const keyed = await api.rest('POST', '/payments/intents', { key: api.merchantA.secretKey, body });
    expect(keyed).toMatchObject({ status: 400, body: { error: { param: 'metadata' } } });
  });
});
