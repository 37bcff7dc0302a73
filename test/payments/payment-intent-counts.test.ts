/** The number of payment intents, which triggers keep, is what a count of the rows gives, in every transaction. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { countPaymentIntents } from '../../src/payments/read-payment-intents.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { emptyDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';

const api = await openRestApi();
const { database, merchantA, merchantB } = api;
const statuses = ['CREATED', 'AUTHORIZED', 'CANCELLED', 'FAILED'] as const;
const pool = new pg.Pool({ connectionString: api.databaseUrl, max: 8 });
onTeardown(() => pool.end());

beforeAll(() => database.paymentIntent.deleteMany({}));

/** Inserts intents of an app in one statement. */
const INSERT = `INSERT INTO payment_intent (id, app_id, amount, currency, capture_mode, timelock_duration, dispute_start_duration,
    platform_fee_bps, status, updated_at)
  SELECT gen_random_uuid(), $1, 1, 'USD', 'AUTOMATIC', 5, 5, 100, $2::payment_intent_status, now() FROM generate_series(1, $3::int)`;

async function expectExact() {
  for (const { merchantId, appId } of [merchantA, merchantB]) {
    for (const scope of [
      { merchantId, appId },
      { merchantId, appId: null },
    ]) {
      for (const asked of [[], ...statuses.map((status) => [status])]) {
        const where = { app: { merchantId }, ...(asked.length > 0 ? { status: { in: asked } } : {}) };
        expect(await countPaymentIntents(database, { scope, statuses: asked })).toBe(
          await database.paymentIntent.count({ where }),
        );
      }
    }
  }
}

/** Inserts an intent of an app at a time until one of the inserts has merged the rows of the app that the connection sees. */
async function insertUntilMerged(client: pg.PoolClient) {
  const rows = async () => {
    const { rowCount } = await client.query('SELECT FROM payment_intent_count WHERE app_id = $1', [merchantA.appId]);
    return rowCount ?? 0;
  };
  for (let before = await rows(); ; before = await rows()) {
    await client.query(INSERT, [merchantA.appId, 'CREATED', 1]);
    if ((await rows()) <= before) return;
  }
}

const rowsOf = async (appId: string) => await database.paymentIntentCount.count({ where: { appId } });

it('stays exact while many connections insert, move, delete and roll back', async () => {
  const worker = async (number: number) => {
    const { appId } = number % 2 === 0 ? merchantA : merchantB;
    for (let turn = 0; turn < 60; turn++) {
      const status = statuses[(number + turn) % statuses.length];
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(INSERT, [appId, status, (turn % 3) + 1]);
        if (turn % 4 === 1) {
          await client.query(
            `UPDATE payment_intent SET status = 'FAILED' WHERE id IN
              (SELECT id FROM payment_intent WHERE app_id = $1 LIMIT 3 FOR UPDATE SKIP LOCKED)`,
            [appId],
          );
        }
        if (turn % 7 === 3) {
          await client.query(
            `DELETE FROM payment_intent WHERE id IN
              (SELECT id FROM payment_intent WHERE app_id = $1 LIMIT 2 FOR UPDATE SKIP LOCKED)`,
            [appId],
          );
        }
        await client.query(turn % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
      } finally {
        client.release();
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => worker(number)));
  await expectExact();
  const changes = await database.paymentIntentCount.aggregate({ _max: { id: true } });
  expect(changes._max.id).toBeGreaterThan(400n);
  // Some were merged; how many is decided by the hash of an id, whose app is a matter of chance.
  const rows = (await rowsOf(merchantA.appId)) + (await rowsOf(merchantB.appId));
  expect(rows).toBeLessThan(Number(changes._max.id));
});

it('merges the rows of every app, whichever ids they get', async () => {
  // One app's rows get every second id. One insert in 128 merges, by the hash of its id, so that 300 inserts may merge nothing.
  for (let turn = 0; turn < 4_000; turn++) {
    await pool.query(INSERT, [turn % 2 === 0 ? merchantA.appId : merchantB.appId, 'CREATED', 1]);
  }
  expect(await rowsOf(merchantA.appId)).toBeLessThan(2_000);
  expect(await rowsOf(merchantB.appId)).toBeLessThan(2_000);
  await expectExact();
});

it('does not count intents of another merchant', async () => {
  const count = (merchantId: string, appId: string | null) =>
    countPaymentIntents(database, { scope: { merchantId, appId }, statuses: [] });
  expect(await count(merchantB.merchantId, merchantB.appId)).toBeGreaterThan(0);
  expect(await count(merchantA.merchantId, merchantB.appId)).toBe(0);
  expect(await count(newId(), merchantB.appId)).toBe(0);
  expect(await count(newId(), null)).toBe(0);
});

it('is not moved by an update that leaves the status as it is', async () => {
  const before = await database.paymentIntentCount.aggregate({ _max: { id: true }, _count: true });
  await database.paymentIntent.updateMany({ data: { refundReason: 'none' } });
  await database.$executeRaw`UPDATE payment_intent SET status = status`;
  expect(await database.paymentIntentCount.aggregate({ _max: { id: true }, _count: true })).toEqual(before);
});

it('is seen by a transaction as its own snapshot has it', async () => {
  const [reader, writer] = [await pool.connect(), await pool.connect()];
  try {
    const SUM = 'SELECT coalesce(sum(change), 0)::int AS sum, (SELECT count(*)::int FROM payment_intent) AS rows';
    const sum = async () => (await reader.query(`${SUM} FROM payment_intent_count`)).rows[0];
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const before = await sum();
    expect(before.sum).toBe(before.rows);
    for (let turn = 0; turn < 300; turn++) await writer.query(INSERT, [merchantA.appId, 'CREATED', 1]);
    expect(await sum()).toEqual(before);
    await reader.query('COMMIT');
    expect(await sum()).toEqual({ sum: before.sum + 300, rows: before.rows + 300 });
  } finally {
    reader.release();
    writer.release();
  }
});

it('neither merges rows of an open transaction nor waits for it', async () => {
  const [slow, fast] = [await pool.connect(), await pool.connect()];
  try {
    await slow.query('BEGIN');
    await slow.query(INSERT, [merchantA.appId, 'CREATED', 5]);
    await insertUntilMerged(slow);
    await fast.query("SET statement_timeout = '5s'");
    await insertUntilMerged(fast);
    await slow.query('ROLLBACK');
    await expectExact();
  } finally {
    await fast.query('RESET statement_timeout');
    slow.release();
    fast.release();
  }
});

it('counts lists of one status, of several, and with other conditions', async () => {
  const LIST = 'query ($filter: PaymentIntentFilter) { paymentIntents(first: 1, filter: $filter) { totalCount } }';
  const filters = [
    {},
    { appId: merchantA.appId },
    { status: [] },
    { status: ['CREATED', 'FAILED', 'FAILED'] },
    { status: ['SETTLED'] },
    { status: ['CREATED'], currency: 'EUR' },
    { status: ['CREATED'], amountFrom: '1' },
    { search: newId() },
  ];
  for (const filter of filters) {
    const answer = await api.graphql(LIST, { filter }, { key: merchantA.secretKey });
    const { status, currency, search } = { status: [], currency: 'USD', search: null, ...filter };
    const expected = await database.paymentIntent.count({
      where: {
        appId: merchantA.appId,
        currency,
        ...(status.length > 0 ? { status: { in: status as (typeof statuses)[number][] } } : {}),
        ...(search ? { id: search } : {}),
      },
    });
    expect(answer.data.paymentIntents.totalCount).toBe(expected);
  }
});

it('begins with the rows that were there before', async () => {
  const { url } = await emptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTeardown(() => client.end());
  const folder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
  const all = readdirSync(folder).filter((name) => name.includes('_') && !name.endsWith('.toml'));
  const counts = all.findIndex((name) => name.endsWith('payment_intent_counts'));
  const run = (name: string) => client.query(readFileSync(join(folder, name, 'migration.sql'), 'utf8'));
  for (const name of all.sort().slice(0, counts)) await run(name);
  const [merchantId, appId] = [newId(), newId()];
  await client.query(`INSERT INTO merchant (id, name, updated_at) VALUES ($1, 'A', now())`, [merchantId]);
  await client.query(`INSERT INTO app (id, merchant_id, name, mode, updated_at) VALUES ($1, $2, 'A', 'LIVE', now())`, [
    appId,
    merchantId,
  ]);
  await client.query(INSERT, [appId, 'CREATED', 7]);
  await client.query(INSERT, [appId, 'SETTLED', 2]);
  await run(all[counts] ?? '');
  await client.query(INSERT, [appId, 'SETTLED', 1]);
  const { rows } = await client.query(
    'SELECT status, sum(change)::int AS count FROM payment_intent_count WHERE app_id = $1 GROUP BY status ORDER BY status',
    [appId],
  );
  expect(rows).toEqual([
    { status: 'CREATED', count: 7 },
    { status: 'SETTLED', count: 3 },
  ]);
  await client.query('TRUNCATE payment_intent CASCADE');
  expect((await client.query('SELECT FROM payment_intent_count')).rowCount).toBe(0);
});
