/** A database that refuses, hangs or drops the connections of an API process, and recovers. */
import { beforeAll, describe, expect, test } from 'vitest';
import { callGraphql, openApi, type TestApi } from '../setup/api/api.ts';
import { followWs, wsClient } from '../setup/api/live.ts';
import { type DatabaseProxy, type Line, openDatabaseProxy } from '../setup/database/database-proxy.ts';
import { spawnApi } from '../setup/gateway/part-process.ts';

let api: TestApi;
let proxy: DatabaseProxy;
let url: string;
beforeAll(async () => {
  api = await openApi();
  proxy = await openDatabaseProxy(api.databaseUrl);
  ({ url } = await spawnApi({
    DATABASE_URL: proxy.url,
    DATABASE_CONNECT_TIMEOUT_MS: '1500',
    DATABASE_STATEMENT_TIMEOUT_MS: '11000',
  }));
});

const READ = '{ paymentIntents(first: 1) { nodes { id } } }';
const CREATE = 'mutation { createPaymentIntent(input: { amount: "10.00" }) { id } }';

type Answer = { status: number; code: string | undefined; retryAfter: string | null };

async function graphql(document: string): Promise<Answer> {
  const answer = await callGraphql(url, document, {}, { key: api.merchantA.secretKey });
  return {
    status: answer.status,
    code: answer.errors?.[0]?.extensions.code,
    retryAfter: answer.headers.get('retry-after'),
  };
}

async function rest(method: 'GET' | 'POST'): Promise<Answer> {
  const answer = await fetch(`${url}/payments/intents`, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': api.merchantA.secretKey },
    ...(method === 'POST' ? { body: JSON.stringify({ amount: '10.00' }) } : {}),
  });
  const body = await answer.json();
  return { status: answer.status, code: body.error?.code, retryAfter: answer.headers.get('retry-after') };
}

const calls: [string, () => Promise<Answer>][] = [
  ['a query', () => graphql(READ)],
  ['a mutation', () => graphql(CREATE)],
  ['GET', () => rest('GET')],
  ['POST', () => rest('POST')],
];

const counted = async () => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = [...text.matchAll(/^sluice_unavailable_errors_total\{.*\} (\d+)$/gm)].map((match) => Number(match[1]));
  return values.reduce((sum, value) => sum + value, 0);
};

describe.each<Line>(['refused', 'hanging', 'dropped'])('a database whose connections are %s', (line) => {
  test('causes 503 UNAVAILABLE, is counted, and requires no restart', async () => {
    for (const [, call] of calls) expect((await call()).status).toBe(200);
    const credentials = { 'x-api-key': api.merchantA.secretKey };
    const open = wsClient(url, credentials);
    const live = followWs(open, 'subscription { events { resourceId } }');
    const before = followWs(open, READ);
    expect(await before.next()).toMatchObject({ data: { paymentIntents: {} } });
    const countedBefore = await counted();

    await proxy.turn(line);
    for (const [name, call] of calls) {
      const { retryAfter, ...answer } = await call();
      expect({ name, ...answer }).toEqual({ name, status: 503, code: 'UNAVAILABLE' });
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    // An open websocket stays open, and its operations fail individually.
    const operation = open.iterate({ query: READ });
    await expect(operation.next()).rejects.toMatchObject([{ extensions: { code: 'UNAVAILABLE', retryable: true } }]);
    // A new one is closed with a code after which clients retry, unlike 4401.
    const refused = wsClient(url, credentials);
    expect((await refused.closed).code).toBe(1013);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await counted()).toBeGreaterThanOrEqual(countedBefore + 5);

    await proxy.turn('open');
    await expect.poll(async () => (await rest('GET')).status, { timeout: 60_000 }).toBe(200);
    for (const [, call] of calls) expect((await call()).status).toBe(200);
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
    // Subscriptions of events continue.
    const created = await callGraphql(url, CREATE, {}, { key: api.merchantA.secretKey });
    const seen: string[] = [];
    while (!seen.includes(created.data.createPaymentIntent.id)) {
      const next = await live.next();
      if (next === 'end') throw new Error('The subscription has ended.');
      seen.push(next.data.events.resourceId);
    }
    await live.stop();
    await open.dispose();
  }, 180_000);
});
