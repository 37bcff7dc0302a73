/** `ops check-books` compares every field of all books with the facts in batches, and reports faults by payment intent. */
import { beforeAll, expect, test } from 'vitest';
import { checkEveryBook } from '../../../src/payments/verification/check-every-book.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { insertRows } from '../../payments/reports/insert-rows.ts';
import { mixedPayments } from '../../payments/reports/mixed-payments.ts';
import { openApi } from '../../setup/api/api.ts';
import { countStatements } from '../../setup/database/count-statements.ts';
import { runOperation } from '../run-operation.ts';

const api = await openApi({ environment: {} });
const { database, merchantA, merchantB, world } = api;
const COUNT = 434;
const rows = mixedPayments({ appId: merchantA.appId, count: COUNT, seed: 11 });
/** The generated credits belong to this escrow. */
const registry = {
  chain: (chainId: number) => {
    const chain = world.registry.chain(chainId);
    return chain && { ...chain, escrow: `0x${'e5'.repeat(20)}` as const };
  },
};
const every = (options: { appId?: string } = {}) =>
  checkEveryBook({ database, registry }, { secondLookMs: 0, ...options });
const run = (...args: string[]) =>
  runOperation({ database, clock: world.clock }, ['check-books', '--without-nodes', ...args]);

beforeAll(async () => {
  await insertRows(database, rows);
}, 120_000);

test('finds no fault in correct books with any number of batches', async () => {
  expect(await every()).toEqual({ payments: COUNT, faults: [], isCut: false });
  expect(await every({ appId: merchantB.appId })).toEqual({ payments: 0, faults: [], isCut: false });
});

test('runs a number of statements that depends on the number of batches, not of payments', async () => {
  const counted = await countStatements(() => every());
  expect(counted.length).toBeLessThan(40);
});

test('reports a changed field as a fault of its payment intent, and the command fails', async () => {
  const entry = await database.ledgerEntry.findFirstOrThrow({
    where: { account: 'MERCHANT' },
    orderBy: { id: 'desc' },
  });
  await database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: entry.amount.plus(1) } });
  const { faults } = await every();
  expect(faults).toEqual([
    { paymentIntentId: entry.paymentIntentId, fault: expect.stringContaining(`of ${entry.txHash} has the amount`) },
  ]);
  const { code, printed, complained } = await run('--app', merchantA.appId, '--json');
  expect(code).toBe(1);
  expect(complained).toContain('npm run verify -- <intentId>');
  expect(JSON.parse(printed).faults).toContainEqual({
    paymentIntentId: entry.paymentIntentId,
    fault: faults[0]?.fault,
  });
  await database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: entry.amount } });
}, 30_000);

test('reports an entry moved to another payment intent as a fault of both', async () => {
  const [one, other] = rows.entries.filter(({ account }) => account === 'FEE');
  if (!one || !other) throw new Error('There are no fees.');
  await database.ledgerEntry.update({ where: { id: one.id }, data: { paymentIntentId: other.paymentIntentId } });
  const { faults } = await every();
  expect(new Set(faults.map(({ paymentIntentId }) => paymentIntentId))).toEqual(
    new Set([one.paymentIntentId, other.paymentIntentId]),
  );
  await database.ledgerEntry.update({ where: { id: one.id }, data: { paymentIntentId: one.paymentIntentId } });
});

test('ignores a fault that only the first check finds', async () => {
  const entry = await database.ledgerEntry.findFirstOrThrow({ where: { account: 'ESCROW' } });
  await database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: entry.amount.plus(1) } });
  const checked = checkEveryBook({ database, registry }, { secondLookMs: 1500 });
  setTimeout(() => {
    void database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: entry.amount } }).then(() => {});
  }, 700);
  expect((await checked).faults).toEqual([]);
});

test('rejects unknown arguments', async () => {
  expect(await run('--app', 'x')).toMatchObject({ code: 2, complained: expect.stringContaining('--app') });
  expect(await run('--app', newId())).toMatchObject({ code: 1, complained: expect.stringContaining('No such app') });
  expect((await run('now')).code).toBe(2);
});
