/** A guarded database over a real one: the operations that are checked, those that are not, and no bypass. */
import { beforeEach, describe, expect, test } from 'vitest';
import { afterCommit, Prisma, transaction } from '../../prisma/client.ts';
import { guardedDatabase, recheck, unguarded } from '../../prisma/guarded-database.ts';
import { countStatements } from '../setup/database/count-statements.ts';
import { freshDatabase } from '../setup/database/database.ts';

const { database } = await freshDatabase();
let isGood = true;
let checks = 0;
const guarded = guardedDatabase(database, {
  check: () => ({
    query: Prisma.sql`SELECT 1 AS checked`,
    verify(row) {
      checks += 1;
      if (!isGood || row?.checked !== 1) throw new Error('revoked');
    },
  }),
});
beforeEach(() => {
  isGood = true;
  checks = 0;
});

const newMerchant = () => ({ id: crypto.randomUUID(), name: 'Alpha' });
const insertion = Prisma.sql`INSERT INTO merchant (id, name, updated_at) VALUES (gen_random_uuid(), 'Alpha', now()) RETURNING id::text`;

/** Every way to write that an operation could use. */
const writes: [name: string, write: () => Promise<unknown>][] = [
  ['transaction()', () => transaction(guarded, (tx) => tx.merchant.create({ data: newMerchant() }))],
  ['$transaction', () => guarded.$transaction((tx) => tx.merchant.create({ data: newMerchant() }))],
  ['create', () => guarded.merchant.create({ data: newMerchant() })],
  ['createMany', () => guarded.merchant.createMany({ data: [newMerchant()] })],
  ['createManyAndReturn', () => guarded.merchant.createManyAndReturn({ data: [newMerchant()] })],
  ['upsert', () => guarded.merchant.upsert({ where: { id: crypto.randomUUID() }, create: newMerchant(), update: {} })],
  [
    '$executeRaw',
    () => guarded.$executeRaw`INSERT INTO merchant (id, name, updated_at) VALUES (gen_random_uuid(), 'Alpha', now())`,
  ],
  ['$executeRaw of a value', () => guarded.$executeRaw(insertion)],
  ['$executeRawUnsafe', () => guarded.$executeRawUnsafe(insertion.sql)],
  [
    '$queryRaw',
    () =>
      guarded.$queryRaw`INSERT INTO merchant (id, name, updated_at) VALUES (gen_random_uuid(), 'Alpha', now()) RETURNING 1`,
  ],
  ['$queryRaw of a value', () => guarded.$queryRaw(insertion)],
  ['$queryRawUnsafe', () => guarded.$queryRawUnsafe(insertion.sql)],
  ['a model taken out of it', ({ merchant } = guarded) => merchant.create({ data: newMerchant() })],
];

describe('a guarded database', () => {
  test.each(writes)('checks %s once, first, and in its own transaction', async (_name, write) => {
    const before = await database.merchant.count();
    const [first] = await countStatements(write);
    expect(first).toContain('checked');
    expect(checks).toBe(1);
    expect(await database.merchant.count()).toBe(before + 1);
    isGood = false;
    await expect(write()).rejects.toThrow('revoked');
    expect(await database.merchant.count()).toBe(before + 1);
  });

  test.each([
    ['update', () => guarded.merchant.update({ where: { id: crypto.randomUUID() }, data: { name: 'Beta' } })],
    ['updateMany', () => guarded.merchant.updateMany({ data: { name: 'Beta' } })],
    ['updateManyAndReturn', () => guarded.merchant.updateManyAndReturn({ data: { name: 'Beta' } })],
    ['delete', () => guarded.merchant.delete({ where: { id: crypto.randomUUID() } })],
    ['deleteMany', () => guarded.merchant.deleteMany()],
  ])('checks %s', async (_name, write) => {
    isGood = false;
    const before = await database.merchant.findMany({ orderBy: { id: 'asc' } });
    await expect(write()).rejects.toThrow('revoked');
    expect(await database.merchant.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
  });

  test('does not check reads', async () => {
    isGood = false;
    expect(await guarded.merchant.count()).toBe(await database.merchant.count());
    expect(await guarded.merchant.findMany({ take: 1 })).toHaveLength(1);
    expect(await guarded.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    expect(
      await guarded.$queryRaw(Prisma.sql`
      SELECT 1 AS one`),
    ).toEqual([{ one: 1 }]);
    expect(checks).toBe(0);
  });

  test('passes the unguarded database to work after the commit, which has no caller', async () => {
    const received: unknown[] = [];
    await transaction(guarded, async (tx) => afterCommit(tx, (given) => received.push(given === database)));
    expect(received).toEqual([true]);
    expect(unguarded(guarded)).toBe(database);
    expect(unguarded(database)).toBe(database);
  });

  test('can repeat a check if nothing is written', async () => {
    await recheck(guarded);
    expect(checks).toBe(1);
    isGood = false;
    await expect(recheck(guarded)).rejects.toThrow('revoked');
    await recheck(database);
    await transaction(database, (tx) => recheck(tx));
  });
});
