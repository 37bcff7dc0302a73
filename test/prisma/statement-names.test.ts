import { expect, test } from 'vitest';
import { openDatabase, transaction } from '../../prisma/client.ts';
import { statementNames } from '../../prisma/statement-names.ts';
import { emptyDatabase } from '../setup/database/database.ts';

test('repeated statements have a stable and unique name', () => {
  const nameOf = statementNames();
  const [first, second] = ['SELECT 1 WHERE $1', 'SELECT 2 WHERE $1'].map((sql) => ({ sql, args: [true] }));
  if (!first || !second) throw new Error('There are two.');
  expect([nameOf(first), nameOf(second)]).toEqual(['', '']);
  const names = [nameOf(first), nameOf(second)];
  expect(new Set(names).size).toBe(2);
  expect([nameOf(first), nameOf(second)]).toEqual(names);
});

test('statements without parameters, such as BEGIN and COMMIT, have no name', () => {
  const nameOf = statementNames();
  const begin = { sql: 'BEGIN', args: [] };
  expect([nameOf(begin), nameOf(begin), nameOf(begin)]).toEqual(['', '', '']);
});

test('the number of names is limited, and named statements keep their names', () => {
  const nameOf = statementNames(2);
  const statements = Array.from({ length: 10 }, (_, index) => ({ sql: `SELECT ${index} WHERE $1`, args: [true] }));
  const names = statements.map((statement) => [nameOf(statement), nameOf(statement)]);
  expect(names.flat().filter((name) => name !== '')).toHaveLength(2);
  const known = statements[0];
  expect(known && nameOf(known)).toBe(names[0]?.[1]);
});

const countNamed = 'SELECT count(*) FROM pg_prepared_statements WHERE name ~ $1';

async function namedAfterThree(isPooled: boolean): Promise<bigint> {
  const { url } = await emptyDatabase();
  const database = openDatabase({ url, poolSize: 1, isPooled });
  try {
    for (const number of [1, 2, 3]) await database.$queryRaw`SELECT ${number}::int AS number`;
    const rows = await database.$queryRawUnsafe<{ count: bigint }[]>(countNamed, '^s[0-9]+$');
    return rows[0]?.count ?? -1n;
  } finally {
    await database.$disconnect();
  }
}

test('a direct connection keeps named statements, and one of a pooler does not', async () => {
  expect(await namedAfterThree(false)).toBe(1n);
  expect(await namedAfterThree(true)).toBe(0n);
});

test('named statements survive a change of their table and a rolled-back transaction', async () => {
  const { url } = await emptyDatabase();
  const database = openDatabase({ url, poolSize: 1 });
  try {
    await database.$executeRaw`CREATE TABLE shelf (number int PRIMARY KEY)`;
    const put = (number: number) => database.$executeRaw`INSERT INTO shelf (number) VALUES (${number})`;
    const taken = (number: number) =>
      database.$queryRaw<{ number: number }[]>`SELECT number FROM shelf WHERE number = ${number}`;
    for (const number of [1, 2, 3]) await put(number);
    for (const number of [1, 2, 3]) expect(await taken(number)).toEqual([{ number }]);
    await database.$executeRaw`ALTER TABLE shelf ADD COLUMN title text`;
    await expect(put(3)).rejects.toThrow();
    await put(4);
    expect(await taken(4)).toEqual([{ number: 4 }]);
    const failing = transaction(database, async (tx) => {
      await tx.$executeRaw`INSERT INTO shelf (number) VALUES (${5})`;
      throw new Error('Rolled back.');
    });
    await expect(failing).rejects.toThrow('Rolled back.');
    expect(await taken(5)).toEqual([]);
  } finally {
    await database.$disconnect();
  }
});
