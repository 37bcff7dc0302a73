/** Whoever changes one field of the books is found out: a thousand changes, and each field once in the database itself. */
import { beforeAll, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/client.ts';
import { type Books, bookFaults } from '../../../src/payments/verification/book-faults.ts';
import { readBooks } from '../../../src/payments/verification/read-books.ts';
import { openApi } from '../../setup/api/api.ts';
import { seeded } from '../../setup/database/seeded.ts';
import { insertRows } from './insert-rows.ts';
import { mixedPayments } from './mixed-payments.ts';

const api = await openApi({ environment: {} });
const { database, merchantA, world } = api;
const COUNT = 210;
const MUTATIONS = 1000;
const rows = mixedPayments({ appId: merchantA.appId, count: COUNT, seed: 7 });
const all: Books[] = [];
/** The generated credits are of this escrow. */
const registry = {
  chain: (chainId: number) => {
    const chain = world.registry.chain(chainId);
    return chain && { ...chain, escrow: `0x${'e5'.repeat(20)}` as const };
  },
};
const booksOf = async (paymentIntentId: string) => await readBooks({ database, registry }, { paymentIntentId });

beforeAll(async () => {
  await insertRows(database, rows);
  for (const { id } of rows.intents) {
    const books = await booksOf(id);
    if (books) all.push(books);
  }
}, 120_000);

test('books that nobody changed have no faults', () => {
  expect(all.length).toBe(COUNT);
  expect(all.flatMap(bookFaults)).toEqual([]);
});

const entryFields = [
  'paymentIntentId',
  'termsHash',
  'chainId',
  'tokenKey',
  'account',
  'amount',
  'kind',
  'txHash',
  'blockHash',
  'logIndex',
  'createdAt',
] as const;
const intentFields = ['leftAmount', 'cryptoAmount', 'cryptoTokenKey', 'acceptedTermsHash'] as const;
const payoutFields = [
  'paymentIntentId',
  'chainId',
  'termsHash',
  'role',
  'recipient',
  'token',
  'tokenKey',
  'amount',
  'txHash',
  'blockNumber',
  'blockHash',
  'logIndex',
  'creditedAt',
  'deliveredTo',
  'deliveredTxHash',
  'deliveredBlockNumber',
  'deliveredAt',
] as const;

const pick = <Item>(random: () => number, items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick.');
  return item;
};

/** Another value of the same kind. */
function changed(field: string, value: unknown, random: () => number): unknown {
  const others = {
    account: ['PAYER', 'ESCROW', 'MERCHANT', 'FEE', 'UNDELIVERED'],
    role: ['PAYER', 'MERCHANT', 'FEE_RECIPIENT'],
    kind: ['AUTHORIZE', 'CAPTURE', 'SETTLE', 'REFUND', 'CREDIT', 'CLAIM', 'SETTLE#2', `REVERSE_${value}`, `${value}#2`],
    tokenKey: ['USDC-31337', 'ETH-31337', 'USDC-31338'],
    cryptoTokenKey: ['USDC-31337', 'ETH-31337', null],
  };
  const listed = Object.entries(others).find(([name]) => name === field)?.[1];
  if (listed)
    return pick(
      random,
      listed.filter((other) => other !== value),
    );
  if (field === 'paymentIntentId') {
    return pick(
      random,
      rows.intents.map(({ id }) => id).filter((id) => id !== value),
    );
  }
  if (value instanceof Prisma.Decimal) return random() < 0.3 ? value.negated().minus(1) : value.plus(1);
  if (value instanceof Date) return new Date(value.getTime() + 1 + Math.floor(random() * 100_000));
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'number') return value + 1;
  if (field === 'leftAmount' || field === 'cryptoAmount') return new Prisma.Decimal(1);
  if (field === 'deliveredBlockNumber') return 1n;
  if (field === 'deliveredAt') return new Date(0);
  return `${value ?? '0x'}0`;
}

type Mutation = { books: Books; table: 'entries' | 'intent' | 'payouts'; field: string; index: number; value: unknown };

function mutation(random: () => number): Mutation {
  const table = pick(random, ['entries', 'entries', 'entries', 'intent', 'payouts'] as const);
  const books = pick(
    random,
    all.filter((one) => table === 'intent' || one[table].length > 0),
  );
  const index = table === 'intent' ? 0 : Math.floor(random() * books[table].length);
  const fields = { entries: entryFields, intent: intentFields, payouts: payoutFields };
  const field: string = pick<string>(random, fields[table]);
  const row: object | undefined = table === 'intent' ? books.intent : books[table][index];
  const value: unknown = Object.entries(row ?? {}).find(([name]) => name === field)?.[1];
  return { books, table, field, index, value: changed(field, value, random) };
}

function mutated({ books, table, field, index, value }: Mutation): Books {
  if (table === 'intent') return { ...books, intent: { ...books.intent, [field]: value } };
  const changedRows = books[table].map((row, at) => (at === index ? { ...row, [field]: value } : row));
  return { ...books, [table]: changedRows };
}

test('every one of a thousand changes of a single field is found', () => {
  const random = seeded(42);
  const unseen: string[] = [];
  for (let count = 0; count < MUTATIONS; count++) {
    const one = mutation(random);
    if (bookFaults(mutated(one)).length === 0) {
      unseen.push(`${one.table}[${one.index}].${one.field} = ${String(one.value)} of ${one.books.intent.id}`);
    }
  }
  expect(unseen).toEqual([]);
});

test('changes in the database are found in the same way', async () => {
  const claimed = all.find(({ payouts }) => payouts.some(({ deliveredAt }) => deliveredAt !== null));
  const [entry] = claimed?.entries ?? [];
  const [payout] = claimed?.payouts ?? [];
  if (!claimed || !entry || !payout) throw new Error('No payment has a delivered payout.');
  const random = seeded(3);
  const faults = async () => bookFaults((await booksOf(claimed.intent.id)) ?? claimed);
  expect(await faults()).toEqual([]);
  for (const field of entryFields) {
    await database.ledgerEntry.update({
      where: { id: entry.id },
      data: { [field]: changed(field, entry[field], random) },
    });
    expect([field, await faults()]).not.toEqual([field, []]);
    await database.ledgerEntry.update({ where: { id: entry.id }, data: { [field]: entry[field] } });
  }
  for (const field of payoutFields) {
    await database.creditedPayout.update({
      where: { id: payout.id },
      data: { [field]: changed(field, payout[field], random) },
    });
    expect([field, await faults()]).not.toEqual([field, []]);
    await database.creditedPayout.update({ where: { id: payout.id }, data: { [field]: payout[field] } });
  }
  await database.paymentIntent.update({ where: { id: claimed.intent.id }, data: { leftAmount: '1' } });
  expect(await faults()).toEqual(['The intent has 1 left, its facts 0.']);
});
