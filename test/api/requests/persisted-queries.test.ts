/** Automatic persisted queries, as Apollo's own link and urql's exchange send them. */
import { on, once } from 'node:events';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { documentHash } from '../../../src/api/graphql/requests/known-documents.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const key = api.merchantA.secretKey;

/** A client of Apollo with its own links; `requests` are the bodies and queries that it sent. */
function apollo(headers: Record<string, string>, options: { useGETForHashedQueries?: boolean } = {}) {
  const requests: string[] = [];
  const link = new HttpLink({
    uri: `${api.url}/graphql`,
    headers,
    fetch: (url, init) => {
      requests.push(String(init?.body ?? decodeURIComponent(String(url))));
      return fetch(url, init);
    },
  });
  const persisted = new PersistedQueryLink({ sha256: (text) => documentHash(text), ...options });
  const client = new ApolloClient({ link: persisted.concat(link), cache: new InMemoryCache() });
  return { client, requests };
}

async function post(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const persistedQuery = (text: string, sha256Hash = documentHash(text)) => ({
  persistedQuery: { version: 1, sha256Hash },
});
const notFound = { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } };

describe("Apollo's link", () => {
  test.each([[false], [true]])('registers a query once and then sends only its hash (by GET: %s)', async (useGet) => {
    const query = useGet ? gql`query ByGet { viewer { kind } }` : gql`query ByPost { viewer { kind } }`;
    const first = apollo({ 'x-api-key': key }, { useGETForHashedQueries: useGet });
    expect((await first.client.query({ query })).data).toMatchObject({ viewer: { kind: 'secretKey' } });
    expect(first.requests).toHaveLength(2);
    expect(first.requests[0]).not.toContain('viewer');
    expect(first.requests[1]).toContain('viewer');
    const later = apollo({ 'x-api-key': key }, { useGETForHashedQueries: useGet });
    expect((await later.client.query({ query })).data).toMatchObject({ viewer: { kind: 'secretKey' } });
    expect(later.requests).toHaveLength(1);
    expect(later.requests[0]).not.toContain('viewer');
  });

  test('is refused if only documents of the installation are accepted', async () => {
    const strict = await openRestApi({ environment: { GRAPHQL_PERSISTED_ONLY: 'true' } });
    const text = '{ viewer { kind } }';
    for (const body of [{ extensions: persistedQuery(text) }, { query: text, extensions: persistedQuery(text) }]) {
      const answer = await callOf(strict.url, body);
      expect(answer).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_ERROR' } }] });
    }
  });
});

async function callOf(url: string, body: unknown) {
  const headers = { 'content-type': 'application/json' };
  return await (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

describe('a persisted query hash', () => {
  const text = '{ a: viewer { kind } }';

  test('that is not registered is reported with status 200 for every accepted media type', async () => {
    const asked = { extensions: persistedQuery('{ b: viewer { kind } }') };
    expect(await post(asked)).toMatchObject({ status: 200, body: { errors: [notFound] } });
    const accept = { accept: 'application/graphql-response+json' };
    expect(await post(asked, accept)).toMatchObject({ status: 200, body: { errors: [notFound] } });
  });

  test('is registered only for its owner, separately for another app and for strangers', async () => {
    const mine = { 'x-api-key': key };
    await post({ query: text, extensions: persistedQuery(text) }, mine);
    expect((await post({ extensions: persistedQuery(text) }, mine)).body.data.a.kind).toBe('secretKey');
    const others: Record<string, string>[] = [{ 'x-api-key': api.merchantB.secretKey }, {}];
    for (const headers of others) {
      expect((await post({ extensions: persistedQuery(text) }, headers)).body.errors).toMatchObject([notFound]);
    }
  });

  test('of another text is refused with its parameter named, and is not registered', async () => {
    const other = documentHash('{ c: viewer { kind } }');
    const { body } = await post({ query: text, extensions: persistedQuery(text, other) });
    expect(body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      param: 'extensions.persistedQuery.sha256Hash',
    });
    expect((await post({ extensions: persistedQuery('', other) })).body.errors).toMatchObject([notFound]);
  });

  test('of an invalid document is not registered', async () => {
    const bad = '{ nope }';
    expect((await post({ query: bad, extensions: persistedQuery(bad) })).body.errors[0].extensions.code).toBe(
      'VALIDATION_ERROR',
    );
    expect((await post({ extensions: persistedQuery(bad) })).body.errors).toMatchObject([notFound]);
  });

  test.each([
    ['version', { version: 2, sha256Hash: 'a'.repeat(64) }],
    ['sha256Hash', { version: 1, sha256Hash: 'A'.repeat(64) }],
    ['sha256Hash', { version: 1, sha256Hash: 7 }],
    ['sha256Hash', { version: 1 }],
    ['sha256Hash', 'abc'],
  ])('with an invalid %s is refused with the parameter named', async (name, persisted) => {
    const { body } = await post({ query: text, extensions: { persistedQuery: persisted } });
    expect(body.errors[0].extensions.param).toBe(`extensions.persistedQuery.${name}`);
  });

  test('works over a websocket', async () => {
    const socket = new WebSocket(`${api.url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
    const messages = on(socket, 'message');
    const answer = async (message: unknown) => {
      socket.send(JSON.stringify(message));
      for (;;) {
        const { value } = await messages.next();
        const received = JSON.parse(String(value?.[0]));
        if (received.type !== 'complete') return received;
      }
    };
    await once(socket, 'open');
    await answer({ type: 'connection_init', payload: { 'x-api-key': key } });
    const own = '{ ws: viewer { kind } }';
    const ask = (id: string, payload: object) =>
      answer({ id, type: 'subscribe', payload: { ...payload, extensions: persistedQuery(own) } });
    expect(await ask('1', { query: '' })).toMatchObject({ type: 'error', payload: [notFound] });
    expect(await ask('2', { query: own })).toMatchObject({ type: 'next', payload: { data: { ws: {} } } });
    expect(await ask('3', { query: '' })).toMatchObject({ type: 'next', payload: { data: { ws: {} } } });
    socket.terminate();
  });
});
