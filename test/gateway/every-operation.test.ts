/** Every operation passes the gateway: every route of REST and /v1, and GraphQL over each transport. */
import { readFileSync } from 'node:fs';
import { getOperationAST } from 'graphql';
import { createClient } from 'graphql-ws';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { restRoutes } from '../../generated/rest.ts';
import type { RestRoute } from '../../src/api/rest/rest-route.ts';
import { everyCredential, mayBe } from '../setup/api/every-credential.ts';
import { openRestApi } from '../setup/api/rest.ts';

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const seen: string[] = [];
const api = await openRestApi({ count: (kind) => seen.push(kind) });
const { merchantA } = api;
const credentials = await everyCredential(api);

const described = ['payments', 'card'].map((name) =>
  JSON.parse(readFileSync(new URL(`../../schema/openapi/${name}.json`, import.meta.url), 'utf8')),
);
const routes = restRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
/** The required query parameters of a route. */
const queries: Record<string, string> = {
  '/balance': `chainId=31337&tokenKey=USDC-31337&address=${ADDRESS}`,
  '/prices': 'asset=ETH&currency=USD&amountFiat=10',
};

/** The operations that passed while `call` ran. */
async function passedDuring(call: () => Promise<unknown>): Promise<string[]> {
  const before = seen.length;
  await call();
  return seen.slice(before);
}

test.each(routes)('%s', async (_name, route) => {
  const who = Object.keys(credentials).find((name) => mayBe(route.access, name));
  const passed = await passedDuring(() => callRoute(route, credentials[who ?? ''] ?? {}));
  expect(passed).toEqual([getOperationAST(route.document)?.operation]);
});

test('GraphQL queries and mutations pass the gateway, and rejected requests do not', async () => {
  const key = merchantA.secretKey;
  expect(await passedDuring(() => api.graphql('{ viewer { app { id } } }', {}, { key }))).toEqual(['query']);
  const rename = 'mutation ($id: ID!) { updateApp(id: $id, input: { name: "Alpha" }) { name } }';
  expect(await passedDuring(() => api.graphql(rename, { id: merchantA.appId }, { key }))).toEqual(['mutation']);
  expect(await passedDuring(() => api.graphql('{ nothing }', {}, { key }))).toEqual([]);
  expect(await passedDuring(() => api.rest('GET', '/customers'))).toEqual([]);
});

test('live fields pass the gateway over a websocket and an event stream', async () => {
  const query = 'subscription { events(after: 0) { sequence } }';
  const client = createClient({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': merchantA.secretKey },
    retryAttempts: 0,
  });
  const overWebsocket = async () => {
    for await (const _answer of client.iterate({ query })) break;
    await client.dispose();
  };
  expect(await passedDuring(overWebsocket)).toEqual(['subscription']);
  const overStream = async () => {
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-api-key': merchantA.secretKey,
      },
      body: JSON.stringify({ query }),
    });
    await response.body?.cancel();
  };
  expect(await passedDuring(overStream)).toEqual(['subscription']);
});

function callRoute(route: RestRoute, headers: Record<string, string>) {
  const path = route.path.replace(':appId', merchantA.appId).replace(/:\w+/g, UNKNOWN);
  const [operation] = described.flatMap(({ paths }) => {
    const found = paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
    return found ? [found] : [];
  });
  const example = operation.requestBody?.content['application/json'].example;
  const query = queries[route.path];
  const target = query === undefined ? path : `${path}?${query}`;
  return api.rest(route.method, target, { headers, ...(example === undefined ? {} : { body: fitting(example) }) });
}

/** The example with a chain of this API. */
function fitting(example: Record<string, unknown>): Record<string, unknown> {
  const { items } = example;
  return 'includePrice' in example && Array.isArray(items)
    ? { ...example, items: [{ chainId: 31337, tokenKey: 'USDC-31337', address: ADDRESS }] }
    : example;
}
