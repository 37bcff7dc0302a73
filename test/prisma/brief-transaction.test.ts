/** Raw statements over the connections of a client: their values, their check, and their effects. */
import { expect, test } from 'vitest';
import { briefTransaction, runStatement } from '../../prisma/brief-transaction.ts';
import { Prisma } from '../../prisma/client.ts';
import { guardedDatabase } from '../../prisma/guarded-database.ts';
import { freshDatabase } from '../setup/database/database.ts';

const { database } = await freshDatabase({ poolSize: 1 });
const newMerchant = (name: string) =>
  Prisma.sql`INSERT INTO merchant (id, name) VALUES (gen_random_uuid(), ${name}) RETURNING name`;

test('values are read like by Prisma, to the last digit', async () => {
  const json = '{"b": 12345678901234567890, "a": [0.1, 1e21, "12345678901234567890"], "n": null}';
  const values = Prisma.sql`SELECT 12345678901234567890.123456789::numeric AS decimal, 9007199254740993::int8 AS big,
    '2026-01-02T03:04:05.678+02:00'::timestamptz AS at, ${json}::jsonb AS json, NULL::numeric AS nothing, 1.5::float8 AS real,
    true AS yes, 7 AS whole, 'text' AS text, '01a21500-da01-7b65-9381-3a34ab709e2c'::uuid AS id`;
  const rows = await runStatement<Record<string, unknown>>(database, values);
  expect(rows).toEqual(await database.$queryRaw<unknown[]>(values));
  expect(String(rows[0]?.decimal)).toBe('12345678901234567890.123456789');
});

test('values are written unchanged', async () => {
  const given = { at: new Date('2026-01-02T03:04:05.678Z'), amount: new Prisma.Decimal('1e-18'), units: 10n ** 40n };
  const [row] = await runStatement<object>(
    database,
    Prisma.sql`SELECT ${given.at}::timestamptz AS at, ${given.amount}::numeric AS amount, ${given.units}::numeric::text AS units`,
  );
  expect(row).toEqual({ ...given, units: String(given.units) });
});

test('the second statement uses the result of the first one in the same transaction', async () => {
  const rows = await briefTransaction<{ name: string }, { name: string }>(database, {
    opening: (caller) => Prisma.sql`SELECT ${caller} AS caller, 'Alpha' AS name`,
    writing: ({ name }) => newMerchant(name),
  });
  expect(rows).toEqual([{ name: 'Alpha' }]);
  expect(await database.merchant.count()).toBe(1);
});

test('nothing is written without a second statement, after an error or a failed check', async () => {
  const before = await database.merchant.count();
  const opening = (caller: Prisma.Sql) =>
    Prisma.sql`WITH made AS (${newMerchant('first')}) SELECT ${caller} AS caller FROM made`;
  const refused = guardedDatabase(database, {
    check: () => ({
      query: null,
      verify: () => {
        throw new Error('refused');
      },
    }),
  });
  const writing = () => newMerchant('second');
  expect(await briefTransaction(database, { opening, writing: () => null })).toBeUndefined();
  await expect(briefTransaction(refused, { opening, writing })).rejects.toThrow('refused');
  await expect(briefTransaction(database, { opening, writing: () => Prisma.sql`SELECT 1 / 0` })).rejects.toMatchObject({
    code: '22012',
  });
  await expect(briefTransaction(database, { opening: () => Prisma.sql`SELECT 1 / 0`, writing })).rejects.toMatchObject({
    code: '22012',
  });
  await expect(briefTransaction(database, { opening: () => newMerchant('unchecked'), writing })).rejects.toThrow(
    'caller',
  );
  expect(await database.merchant.count()).toBe(before);
  await briefTransaction(database, { opening, writing });
  expect(await database.merchant.count()).toBe(before + 2);
});

test('a named statement is described once and reads the same rows, after errors and concurrently', async () => {
  const read = (divisor: number) =>
    runStatement<object>(
      database,
      Prisma.sql`SELECT 12 / ${divisor}::int AS whole, 0.1 AS decimal, NULL::text AS nothing, '{"a": 1}'::jsonb AS json`,
    );
  const row = { whole: 4, decimal: new Prisma.Decimal('0.1'), nothing: null, json: { a: 1 } };
  // The second execution names the statement, and the connection reads the description of the first that is named.
  for (let execution = 0; execution < 4; execution++) expect(await read(3)).toEqual([row]);
  await expect(read(0)).rejects.toMatchObject({ code: '22012' });
  expect(await Promise.all([read(3), read(4), read(6)])).toEqual([
    [row],
    [{ ...row, whole: 3 }],
    [{ ...row, whole: 2 }],
  ]);
});

test('a named statement with changed columns is rejected, and the next connection describes it again', async () => {
  await database.$executeRaw`CREATE TABLE shifting (one int)`;
  await database.$executeRaw`INSERT INTO shifting VALUES (1)`;
  const read = () => runStatement<object>(database, Prisma.sql`SELECT * FROM shifting WHERE one = ${1}::int`);
  for (let execution = 0; execution < 3; execution++) expect(await read()).toEqual([{ one: 1 }]);
  await database.$executeRaw`ALTER TABLE shifting ADD COLUMN two text DEFAULT 'two'`;
  await expect(read()).rejects.toThrow('cached plan must not change result type');
  expect(await read()).toEqual([{ one: 1, two: 'two' }]);
});
