/** Transactions that block while they hold a merchant's rows, and an API that continues for all other callers. */
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { type CallOptions, callGraphql, openApi, type TestApi } from '../setup/api/api.ts';
import { spawnApi } from '../setup/gateway/part-process.ts';
import { onTeardown } from '../setup/teardown.ts';

const CREATE =
  'mutation ($externalId: String) { createPaymentIntent(input: { amount: "10.00", externalId: $externalId }) { id } }';
const READ = '{ paymentIntents(first: 1) { nodes { id } } }';

let api: TestApi;
let url: string;
beforeAll(async () => {
  api = await openApi();
  ({ url } = await spawnApi({ DATABASE_URL: api.databaseUrl }));
});

/** Begins a transaction that holds the app's event cursor. The returned function ends it. */
async function holdCursor(appId: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: api.databaseUrl, application_name: 'holder' });
  await client.connect();
  onTeardown(() => client.end().catch(() => undefined));
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO event_cursor (app_id, last_sequence) VALUES ($1, 0)
     ON CONFLICT (app_id) DO UPDATE SET last_sequence = event_cursor.last_sequence`,
    [appId],
  );
  return async () => {
    await client.query('COMMIT');
    await client.end();
  };
}

const create = (key: string, externalId: string, options: CallOptions = {}) =>
  callGraphql(url, CREATE, { externalId }, { key, ...options });
const read = async (key: string) => (await callGraphql(url, READ, {}, { key })).status;

async function waiting(): Promise<number> {
  const [row] = await api.database.$queryRaw<{ waiting: bigint }[]>`
    SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return Number(row?.waiting ?? 0);
}

test('a locked row delays its own writes for a bounded time, and nothing else', async () => {
  const release = await holdCursor(api.merchantA.appId);
  const stuck = Array.from({ length: 8 }, (_, index) => create(api.merchantA.secretKey, `stuck ${index}`));
  let answered = 0;
  for (const one of stuck) void one.then(() => (answered += 1));
  await expect.poll(waiting, { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);

  // Meanwhile: reads of the same merchant, reads and writes of another, health.
  expect(await read(api.merchantA.secretKey)).toBe(200);
  expect(await read(api.merchantB.secretKey)).toBe(200);
  const other = await create(api.merchantB.secretKey, 'other');
  expect([other.status, other.errors]).toEqual([200, undefined]);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(answered).toBe(0);

  const refused = await Promise.all(stuck);
  for (const { status, errors, headers } of refused) {
    expect([status, errors?.[0]?.extensions.code, errors?.[0]?.extensions.retryable]).toEqual([
      503,
      'UNAVAILABLE',
      true,
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await api.database.paymentIntent.count({ where: { externalId: { startsWith: 'stuck' } } })).toBe(0);
  await release();
  expect((await create(api.merchantA.secretKey, 'stuck 0')).status).toBe(200);
  expect(await api.database.paymentIntent.count({ where: { externalId: 'stuck 0' } })).toBe(1);
}, 120_000);

test('a rejected write is executed once if it is repeated with its key', async () => {
  const release = await holdCursor(api.merchantA.appId);
  const call = () => create(api.merchantA.secretKey, 'repeated', { headers: { 'idempotency-key': 'repeated' } });
  expect((await call()).errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
  await release();
  const [first, second] = [await call(), await call()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.data).toEqual(first.data);
  expect(await api.database.paymentIntent.count({ where: { externalId: 'repeated' } })).toBe(1);
}, 120_000);

test('REST returns 503 with Retry-After', async () => {
  const release = await holdCursor(api.merchantA.appId);
  const answer = await fetch(`${url}/payments/intents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': api.merchantA.secretKey },
    body: JSON.stringify({ amount: '10.00' }),
  });
  const { error } = await answer.json();
  expect([answer.status, error.code]).toEqual([503, 'UNAVAILABLE']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  await release();
}, 120_000);

test('a call concurrent with a waiting one returns 409 after 10 s, regardless of the lock timeout', async () => {
  const patient = await spawnApi({
    DATABASE_URL: api.databaseUrl,
    DATABASE_LOCK_TIMEOUT_MS: '25000',
    DATABASE_STATEMENT_TIMEOUT_MS: '28000',
  });
  const release = await holdCursor(api.merchantA.appId);
  const options = { key: api.merchantA.secretKey, headers: { 'idempotency-key': 'twins' } };
  const call = () => callGraphql(patient.url, CREATE, { externalId: 'twins' }, options);
  const first = call();
  await expect.poll(waiting, { timeout: 30_000, interval: 20 }).toBe(1);
  const duplicate = await call();
  expect([duplicate.status, duplicate.errors?.[0]?.extensions.code]).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT']);
  await release();
  const answer = await first;
  expect(answer.status).toBe(200);
  expect((await call()).data).toEqual(answer.data);
}, 120_000);
