/** A worker that is suspended (SIGSTOP) during a transaction for longer than every limit, and resumed (SIGCONT). */
import pg from 'pg';
import { expect, test } from 'vitest';
import { type Database, Prisma } from '../../prisma/client.ts';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { callGraphql, openApi } from '../setup/api/api.ts';
import { spawnApi, spawnPart } from '../setup/gateway/part-process.ts';
import { openReceiver } from '../setup/receivers/receiver.ts';
import { onTeardown } from '../setup/teardown.ts';

const CREATE = 'mutation { createPaymentIntent(input: { amount: "10.00" }) { id } }';
const patience = { timeout: 90_000, interval: 100 };

test('other workers take over the work of a suspended one, and nothing runs twice when it resumes', async () => {
  const api = await openApi();
  const { database, merchantA } = api;
  const { appId } = merchantA;
  const environment = { DATABASE_URL: api.databaseUrl, DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '3000' };
  const receiver = await openReceiver();
  await createWebhookEndpoint(
    { database, privateAddresses: true },
    { appId, input: { url: receiver.url, events: ['*'] } },
  );
  const apiProcess = await spawnApi(environment);
  const create = async (): Promise<string | undefined> =>
    (await callGraphql(apiProcess.url, CREATE, {}, { key: merchantA.secretKey })).data?.createPaymentIntent.id;
  const readyz = async () => (await fetch(`${apiProcess.url}/readyz`)).status;

  const overdue = (await create()) ?? '';
  await database.paymentIntent.update({ where: { id: overdue }, data: { expiresAt: new Date(Date.now() - 60_000) } });
  const holder = new pg.Client({ connectionString: api.databaseUrl });
  await holder.connect();
  onTeardown(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM event_cursor WHERE app_id = $1 FOR UPDATE', [appId]);

  // It holds the payment's row and waits for the event cursor. Then it is suspended, and receives the cursor.
  const frozen = await spawnPart('worker', environment);
  await expect.poll(() => writers(database, Prisma.sql`wait_event_type = 'Lock'`), patience).toBeGreaterThan(0);
  frozen.process.kill('SIGSTOP');
  await holder.query('COMMIT');
  await expect.poll(() => writers(database, Prisma.sql`state = 'idle in transaction'`), patience).toBeGreaterThan(0);
  const [{ id: frozenId } = { id: '' }] = await database.queueWorker.findMany();

  await spawnPart('worker', environment);
  let second: string | undefined;
  await expect
    .poll(async () => {
      second ??= await create();
      return second;
    }, patience)
    .toBeDefined();
  expect(await readyz()).toBe(200);
  const received = (id: string) =>
    receiver.received.map(({ body }) => JSON.parse(body)).filter((event) => event.data.id === id);
  await expect.poll(() => received(second ?? '').length, patience).toBe(1);
  await expect.poll(() => received(overdue).map((event) => event.type), patience).toContain('payment_intent.cancelled');
  expect(await readyz()).toBe(200);
  // Its jobs are released to other workers.
  await expect.poll(() => database.queueWorker.count({ where: { id: frozenId } }), patience).toBe(0);
  expect(frozen.isGone()).toBe(false);

  frozen.process.kill('SIGCONT');
  // After it resumes, it sends heartbeats and works again.
  await expect.poll(() => database.queueWorker.count({ where: { id: frozenId } }), patience).toBe(1);
  const third = await create();
  await expect.poll(() => received(third ?? '').length, patience).toBe(1);
  expect(frozen.isGone()).toBe(false);

  const events = await database.event.findMany({ where: { appId }, orderBy: { sequence: 'asc' } });
  expect(events.map(({ type, resourceId }) => [type, resourceId])).toEqual([
    ['payment_intent.created', overdue],
    ...events.slice(1, -1).map(({ type, resourceId }) => [type, resourceId]),
    ['payment_intent.created', third],
  ]);
  expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type === 'payment_intent.cancelled')).toHaveLength(1);
  expect(events).toHaveLength(4);
  expect(receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
    [...new Set(receiver.received.map(({ headers }) => headers['webhook-id']))].sort(),
  );
  expect(receiver.received).toHaveLength(4);
}, 300_000);

/** The number of write connections in this state. Read outside the holder's transaction, which would repeat the first result. */
async function writers(database: Database, condition: Prisma.Sql): Promise<number> {
  const rows = await database.$queryRaw<unknown[]>`
    SELECT 1 AS one FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'sluice-writes' AND ${condition}`;
  return rows.length;
}
