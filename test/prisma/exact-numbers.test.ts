/** Amounts of related rows, which Prisma reads as JSON, inside and outside of transactions. */
import { beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { quoteInexact } from '../../prisma/exact-numbers.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { makeTenantRows } from '../setup/database/tenant-rows.ts';

const { database } = await freshDatabase();
/** 12.345678901234567891 of a token with 18 decimals, and the largest amount that a chain can represent. */
const AMOUNT = '12345678901234567891';
const GREATEST = ((1n << 256n) - 1n).toString();
const GAS = 9_007_199_254_740_993n;
let intent = '';

beforeAll(async () => {
  const [merchantId, appId] = [newId(), newId()];
  await database.merchant.create({ data: { id: merchantId, name: 'Alpha' } });
  await database.app.create({ data: { id: appId, merchantId, name: 'Shop', mode: 'TEST' } });
  ({ intent } = await makeTenantRows(database, { merchantId, appId }));
  for (const amount of [AMOUNT, GREATEST]) {
    await database.transaction.create({
      data: { id: newId(), paymentIntentId: intent, chainId: 31337, type: 'AUTHORIZE', amount, gasUsed: GAS },
    });
  }
  await database.quote.updateMany({
    where: { paymentIntentId: intent },
    data: { exchangeRate: '12345678901234567890.123456789012345678' },
  });
});

describe('rows that are read with their parent row', () => {
  const withRelations = { transactions: { orderBy: { id: 'asc' } }, quotes: true } as const;
  const exact = {
    amounts: [AMOUNT, GREATEST],
    gas: [GAS, GAS],
    rate: '12345678901234567890.123456789012345678',
  };
  type Read = {
    transactions: { amount: { toFixed(): string } | null; gasUsed: bigint | null }[];
    quotes: { exchangeRate: { toFixed(): string } }[];
  };
  const digits = (read: Read | null) => ({
    amounts: read?.transactions.map((row) => row.amount?.toFixed()),
    gas: read?.transactions.map((row) => row.gasUsed),
    rate: read?.quotes[0]?.exchangeRate.toFixed(),
  });

  test('keep every digit of their amounts', async () => {
    const read = await database.paymentIntent.findUnique({ where: { id: intent }, include: withRelations });
    expect(digits(read)).toEqual(exact);
  });

  test('keep every digit inside a transaction', async () => {
    const read = await transaction(database, (tx) =>
      tx.paymentIntent.findUnique({ where: { id: intent }, include: withRelations }),
    );
    expect(digits(read)).toEqual(exact);
  });

  test('keep every digit two levels below', async () => {
    const read = await database.app.findFirst({ include: { paymentIntents: { include: withRelations } } });
    expect(digits(read?.paymentIntents[0] ?? null)).toEqual(exact);
  });

  test('leave metadata unchanged', async () => {
    const metadata = { long: '12345678901234567890', double: 0.1 + 0.2, large: 2 ** 70, small: 1.5e-20, at: 1 };
    await database.paymentIntent.update({ where: { id: intent }, data: { metadata } });
    const [alone, below] = await Promise.all([
      database.paymentIntent.findUniqueOrThrow({ where: { id: intent } }),
      database.transaction.findFirstOrThrow({ include: { paymentIntent: true } }),
    ]);
    expect(alone.metadata).toEqual(metadata);
    expect(below.paymentIntent.metadata).toEqual(metadata);
  });
});

describe('JSON numbers', () => {
  test.each([
    ['{"amount":12345678901234567891}', '{"amount":"12345678901234567891"}'],
    ['[-12345678901234567891.5]', '["-12345678901234567891.5"]'],
    ['{"amount":12000000000000000000}', '{"amount":12000000000000000000}'],
    ['{"a":"12345678901234567891"}', '{"a":"12345678901234567891"}'],
    [
      '{"a":"\\"12345678901234567891","b":12345678901234567891}',
      '{"a":"\\"12345678901234567891","b":"12345678901234567891"}',
    ],
    ['{"a":0.30000000000000004,"b":1e21}', '{"a":0.30000000000000004,"b":1e21}'],
    ['null', 'null'],
  ])('%s becomes %s', (json, expected) => {
    expect(quoteInexact(json)).toBe(expected);
  });
});
