import { readFileSync } from 'node:fs';
import { GraphQLObjectType, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentHash } from '../../../src/api/graphql/requests/known-documents.ts';
import { accessNeeded } from '../../../src/api/graphql/server/access/root-access.ts';
import { composedSchema } from '../../../src/gateway/composed-schema.ts';
import { publishedSchema } from '../../../src/gateway/print-schema.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const schema = composedSchema();

describe('the schema', () => {
  test('matches schema/schema.graphql', () => {
    const file = new URL('../../../schema/schema.graphql', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(publishedSchema());
  });

  test('declares the required access of every root field', () => {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const open = roots.flatMap((root) =>
      root instanceof GraphQLObjectType
        ? Object.keys(root.getFields()).filter((name) => !accessNeeded(root, name)?.length)
        : [],
    );
    expect(open).toEqual([]);
  });

  test('describes every type, field, argument and enum value', () => {
    const silent: string[] = [];
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith('__')) continue;
      if (!type.description) silent.push(type.name);
      if (isObjectType(type) || isInputObjectType(type)) {
        for (const field of Object.values(type.getFields()))
          if (!field.description) silent.push(`${type.name}.${field.name}`);
      }
      if (isObjectType(type)) {
        for (const field of Object.values(type.getFields()))
          for (const { name, description } of field.args)
            if (!description) silent.push(`${type.name}.${field.name}(${name})`);
      }
      if (isEnumType(type)) {
        for (const value of type.getValues()) if (!value.description) silent.push(`${type.name}.${value.name}`);
      }
    }
    expect(silent).toEqual([]);
  });
});

describe('limits', () => {
  test('refuse a query deeper than 12 levels', async () => {
    const deep = (levels: number): string =>
      levels === 0 ? 'id' : `app { payoutAddresses { address } ${'apiKeys { id }'} }`;
    const nested = `{ paymentIntents(first: 1) { nodes { checkoutSession { paymentIntent { checkoutSession { paymentIntent {
      checkoutSession { paymentIntent { checkoutSession { paymentIntent { checkoutSession { paymentIntent { ${deep(1)} } } } } } } } } } } } } }`;
    const { status, errors } = await api.graphql(nested, {}, { key: api.merchantA.secretKey });
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.details?.map(({ param }) => param)).toContain('depth');
  });

  test('count aliases', async () => {
    const aliases = Array.from({ length: 401 }, (_, index) => `a${index}: viewer { kind }`).join('\n');
    const { errors } = await api.graphql(`{ ${aliases} }`, {}, { key: api.merchantA.secretKey });
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });

  test('refuse nested lists that cost more than one request may', async () => {
    const lists = Array.from(
      { length: 10 },
      (_, index) =>
        `a${index}: paymentIntents(first: 100) { nodes { events { id } ledger { id } terms { hash } transactions { id } } }`,
    );
    const { errors } = await api.graphql(`{ ${lists.join('\n')} }`, {}, { key: api.merchantA.secretKey });
    expect(errors?.[0]?.extensions.details?.map(({ param }) => param)).toContain('complexity');
  });

  test('refuse to parse a document with too many tokens', async () => {
    const { status, errors } = await api.graphql(`{ ${'__typename '.repeat(5000)} }`);
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });

  test('refuse a body over 1 MiB', async () => {
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ viewer { kind } }', variables: { text: 'x'.repeat(1024 * 1024) } }),
    });
    expect(response.status).toBe(413);
    expect((await response.json()).errors[0].extensions.code).toBe('PAYLOAD_TOO_LARGE');
  });
});

describe('errors', () => {
  test('are returned for malformed JSON, a missing query and an unknown field', async () => {
    const post = (body: string) =>
      fetch(`${api.url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (const body of ['{', '{}', '{"query":"{ nope }"}', '{"query":"{"}']) {
      const answer = await (await post(body)).json();
      expect(answer.errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR', http: { status: 400 } });
      expect(answer.errors[0].extensions.requestId).toBeTruthy();
    }
  });

  test('name a value that contains text that PostgreSQL cannot store', async () => {
    const { status, errors } = await api.graphql(
      'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id } }',
      { input: { amount: '1', externalId: 'a\u0000b', metadata: { deep: ['\ud800'] } } },
      { key: api.merchantA.secretKey },
    );
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.details?.map(({ param }) => param)).toEqual(['externalId', 'metadata.deep[0]']);
  });

  test('are returned for the same text inside a literal', async () => {
    const { status } = await api.graphql(
      String.raw`mutation { createPaymentIntent(input: { amount: "1", externalId: "a\u0000b" }) { id } }`,
      {},
      { key: api.merchantA.secretKey },
    );
    expect(status).toBe(400);
  });

  test('mask a bug without stack, SQL or path', async () => {
    await api.database.$executeRaw`ALTER TABLE tax_rate RENAME TO tax_rate_hidden`;
    const { status, errors } = await api.graphql('{ taxRates { id } }', {}, { key: api.merchantA.secretKey });
    await api.database.$executeRaw`ALTER TABLE tax_rate_hidden RENAME TO tax_rate`;
    expect(status).toBe(500);
    expect(errors?.[0]?.message).toBe('Something went wrong on our side.');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INTERNAL_ERROR', retryable: true });
    expect(JSON.stringify(errors)).not.toMatch(/prisma|select|stack|\.ts|tax_rate/i);
  });

  test('are returned for a mutation by GET', async () => {
    const query = encodeURIComponent('mutation { createPaymentIntent(input: { amount: "1" }) { id } }');
    const response = await fetch(`${api.url}/graphql?query=${query}`, {
      headers: { 'x-api-key': api.merchantA.secretKey },
    });
    expect(response.status).toBe(405);
    expect((await response.json()).errors[0].extensions.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('contain the request ID of the caller', async () => {
    const { headers, errors } = await api.graphql('{ apps { id } }', {}, { headers: { 'x-request-id': 'mine-1' } });
    expect(headers.get('x-request-id')).toBe('mine-1');
    expect(errors?.[0]?.extensions.requestId).toBe('mine-1');
  });
});

describe('persisted documents', () => {
  test('are executed by the hash of their text', async () => {
    const text = readFileSync(
      new URL('../../../schema/documents/OverviewPage.graphql', import.meta.url),
      'utf8',
    ).trim();
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': api.merchantA.secretKey },
      body: JSON.stringify({ documentId: `sha256:${documentHash(text)}` }),
    });
    expect((await response.json()).data.overview).toBeTruthy();
  });

  test('are refused if unknown, and are the only documents accepted if so configured', async () => {
    const strict = await openApi({ environment: { GRAPHQL_PERSISTED_ONLY: 'true' } });
    const own = await strict.graphql('{ viewer { kind } }');
    expect(own.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'query' });
    const response = await fetch(`${strict.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } }),
    });
    expect((await response.json()).errors[0].extensions.param).toBe('documentId');
    await strict.close();
  });
});

describe('introspection', () => {
  test('is available only in development', async () => {
    const document = '{ __schema { queryType { name } } }';
    expect((await api.graphql(document)).data.__schema.queryType.name).toBe('Query');
    const production = await openApi({
      environment: { NODE_ENV: 'production', PRICE_SOURCE: 'market', TOKEN_SECRET: 'a'.repeat(32) },
    });
    const refused = await production.graphql(document, {}, { key: production.merchantA.secretKey });
    expect(refused.status).toBe(403);
    await production.close();
  });
});

describe('the server’s own paths', () => {
  test('include /healthz, /readyz and /metrics, and any other path returns 404', async () => {
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${api.url}/metrics`)).text()).toContain('process_cpu');
    const missing = await fetch(`${api.url}/nope`);
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
  });
});
