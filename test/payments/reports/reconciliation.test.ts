/** The reconciliation: every transfer to a payout address once, sums that follow from each other, and every difference shown. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { countStatements } from '../../setup/database/count-statements.ts';
import { insertRows } from './insert-rows.ts';
import { mixedPayments } from './mixed-payments.ts';

const api = await openRestApi();
const { database, merchantA, merchantB } = api;
const COUNT = 1400;
const PERIOD = 'from=2026-03-01T00:00:00Z&to=2026-06-01T00:00:00Z';
const made = mixedPayments({ appId: merchantA.appId, count: COUNT, seed: 1 });
type Row = Record<string, string | number | null>;

beforeAll(async () => {
  await insertRows(database, made);
}, 120_000);

async function rowsOf(query = PERIOD, key = merchantA.secretKey): Promise<Row[]> {
  const { status, body } = await api.rest('GET', `/reports/reconciliation?${query}`, { key });
  expect([status, body.success]).toEqual([200, true]);
  return body.data;
}

const of = (rows: readonly Row[], row: string) => rows.filter((one) => one.row === row);
const units = (cell: unknown) => BigInt(String(cell));
const sumOf = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + units(row.amount_base_units), 0n);
const placeOf = (row: Row) => `${row.chain_id} ${row.tx_hash} ${row.log_index}`;
const accountOf = (row: Row) => `${row.chain_id} ${row.token_key} ${row.payout_address}`;

/** What the generated facts say, worked out without the report. */
function expectedTransfers(): Map<string, bigint> {
  const standing = made.facts.filter(({ status }) => status === 'CONFIRMED');
  const credited = new Set(standing.filter(({ kind }) => kind === 'Credited').map(({ txHash }) => txHash));
  const found = standing.flatMap((fact): [string, bigint][] => {
    const { merchantAmount, amount } = Object(fact.args);
    const key = `${fact.chainId} ${fact.txHash} ${fact.logIndex}`;
    if (fact.kind === 'Claimed') return [[key, BigInt(amount)]];
    if (fact.kind !== 'Settled' && fact.kind !== 'Resolved') return [];
    return credited.has(fact.txHash) || merchantAmount === '0' ? [] : [[key, BigInt(merchantAmount)]];
  });
  return new Map(found);
}

describe('transfers', () => {
  test('each is named exactly once, with its amount', async () => {
    const transfers = of(await rowsOf(), 'TRANSFER');
    const expected = expectedTransfers();
    expect(new Set(transfers.map(placeOf)).size).toBe(transfers.length);
    expect(new Map(transfers.map((row) => [placeOf(row), units(row.amount_base_units)]))).toEqual(expected);
    expect(new Set(transfers.map(({ type }) => type))).toEqual(new Set(['SETTLE', 'RESOLVE', 'CLAIM']));
    expect(transfers[0]).toMatchObject({
      payout_address: expect.stringMatching(/^0x22/),
      payment_intent_ids: expect.stringMatching(/^01980000-0001/),
      block_number: expect.any(Number),
      amount_tokens: expect.stringMatching(/^\d+(\.\d+)?$/),
    });
  });

  test('books that agree have no differences', async () => {
    expect(of(await rowsOf(), 'DIFFERENCE')).toEqual([]);
  });

  test('each day sums its transfers, and begins with the end of the day before', async () => {
    const rows = await rowsOf();
    const totals = new Map<string, bigint>();
    for (const day of of(rows, 'DAY')) {
      const transfers = of(rows, 'TRANSFER').filter((row) => row.day === day.day && accountOf(row) === accountOf(day));
      expect([transfers.length, sumOf(transfers)]).toEqual([day.transfer_count, units(day.amount_base_units)]);
      expect(transfers.every((row) => String(row.block_time).startsWith(String(day.day)))).toBe(true);
      expect(units(day.opening_base_units)).toBe(totals.get(accountOf(day)) ?? 0n);
      totals.set(accountOf(day), units(day.closing_base_units));
    }
    expect(sumOf(of(rows, 'DAY'))).toBe(sumOf(of(rows, 'TRANSFER')));
  });

  test('periods neither overlap nor leave gaps, and a later one begins with what was received before', async () => {
    const middle = '2026-03-01T12:00:30Z';
    const early = await rowsOf(`from=2026-03-01T00:00:00Z&to=${middle}`);
    const late = await rowsOf(`from=${middle}&to=2026-06-01T00:00:00Z`);
    const all = of(await rowsOf(), 'TRANSFER');
    expect([...of(early, 'TRANSFER'), ...of(late, 'TRANSFER')]).toEqual(all);
    const before = new Map(of(early, 'DAY').map((day) => [accountOf(day), units(day.closing_base_units)]));
    const first = of(late, 'DAY').filter(({ day }) => day === '2026-03-01');
    expect(first.length).toBeGreaterThan(0);
    for (const day of first) expect(units(day.opening_base_units)).toBe(before.get(accountOf(day)) ?? 0n);
  });

  test('another app sees none of them', async () => {
    expect(await rowsOf(PERIOD, merchantB.secretKey)).toEqual([]);
  });

  test('CSV has the same rows', async () => {
    const response = await fetch(`${api.url}/reports/reconciliation?format=csv&${PERIOD}`, {
      headers: { 'x-api-key': merchantA.secretKey },
    });
    const lines = (await response.text()).trim().split('\r\n');
    expect(lines[0]).toMatch(/^row,day,chain_id,token_key,payout_address,type,/);
    expect(lines.length - 1).toBe((await rowsOf()).length);
  });
});

describe('differences', () => {
  const differences = async () => of(await rowsOf(), 'DIFFERENCE');
  const settled = () =>
    database.ledgerEntry.findFirstOrThrow({ where: { account: 'MERCHANT', kind: 'SETTLE' }, orderBy: { id: 'asc' } });

  test('a transfer that is not booked', async () => {
    const { id, ...entry } = await settled();
    await database.ledgerEntry.delete({ where: { id } });
    expect(await differences()).toEqual([
      expect.objectContaining({
        difference: 'NOT_BOOKED',
        tx_hash: entry.txHash,
        log_index: entry.logIndex,
        payment_intent_ids: entry.paymentIntentId,
        amount_base_units: entry.amount.toFixed(),
        booked_base_units: null,
      }),
    ]);
    expect(of(await rowsOf(), 'TRANSFER').length, 'the chain has it all the same').toBe(expectedTransfers().size);
    await database.ledgerEntry.create({ data: { id, ...entry } });
  });

  test('an amount that is not the one of the chain', async () => {
    const entry = await settled();
    await database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: entry.amount.plus(1) } });
    expect(await differences()).toEqual([
      expect.objectContaining({
        difference: 'AMOUNT',
        amount_base_units: entry.amount.toFixed(),
        booked_base_units: entry.amount.plus(1).toFixed(),
      }),
    ]);
    await database.ledgerEntry.update({ where: { id: entry.id }, data: { amount: entry.amount } });
  });

  test('a booking that the chain does not have, once however often it is booked', async () => {
    const { id: _id, ...entry } = await settled();
    const place = { blockHash: `0x${'ee'.repeat(32)}`, txHash: `0x${'ef'.repeat(32)}` };
    const ids = [newId(), newId()];
    const added = ids.map((id, index) => ({ ...entry, ...place, id, kind: `SETTLE#${index + 1}`, amount: '5' }));
    await database.ledgerEntry.createMany({ data: added });
    expect(await differences()).toEqual([
      expect.objectContaining({
        difference: 'NOT_ON_CHAIN',
        day: entry.createdAt.toISOString().slice(0, 10),
        tx_hash: place.txHash,
        amount_base_units: null,
        booked_base_units: '10',
      }),
    ]);
    await database.ledgerEntry.deleteMany({ where: { id: { in: ids } } });
  });

  test('a fact that is no longer in the chain, whose booking was not reversed', async () => {
    const entry = await settled();
    const where = { chainId: entry.chainId, blockHash: entry.blockHash, logIndex: entry.logIndex };
    await database.chainFact.updateMany({ where, data: { status: 'ORPHANED' } });
    const rows = await rowsOf();
    expect(of(rows, 'DIFFERENCE')).toMatchObject([{ difference: 'NOT_ON_CHAIN', tx_hash: entry.txHash }]);
    expect(of(rows, 'TRANSFER').length).toBe(expectedTransfers().size - 1);
    await database.chainFact.updateMany({ where, data: { status: 'CONFIRMED' } });
    expect(await differences()).toEqual([]);
  });
});

describe('the report as a whole', () => {
  const csv = async () => {
    const response = await fetch(`${api.url}/reports/reconciliation?format=csv&${PERIOD}`, {
      headers: { 'x-api-key': merchantA.secretKey },
    });
    return await response.text();
  };

  test('stays the same byte for byte, differences included', async () => {
    const lines = await database.ledgerEntry.findMany({
      where: { account: 'MERCHANT', kind: { in: ['SETTLE', 'RESOLVE', 'CREDIT', 'CLAIM'] } },
      orderBy: { id: 'asc' },
    });
    const place = { blockHash: `0x${'ee'.repeat(32)}`, txHash: `0x${'ef'.repeat(32)}` };
    for (const [index, { id, ...entry }] of lines.entries()) {
      const where = { chainId: entry.chainId, blockHash: entry.blockHash, logIndex: entry.logIndex };
      if (index % 60 === 3) await database.ledgerEntry.delete({ where: { id } });
      if (index % 60 === 5) {
        await database.ledgerEntry.update({ where: { id }, data: { amount: entry.amount.plus(1) } });
      }
      if (index % 60 === 9) await database.chainFact.updateMany({ where, data: { status: 'ORPHANED' } });
      if (index % 200 === 11) {
        const added = { ...entry, ...place, id: newId(), kind: `${entry.kind}#${index}`, amount: '5' };
        await database.ledgerEntry.create({ data: added });
      }
    }
    const text = await csv();
    for (const difference of ['NOT_BOOKED', 'AMOUNT', 'NOT_ON_CHAIN']) expect(text).toContain(difference);
    // The report of the same rows before its statements were rewritten.
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      'b767ed74548a15e20d6b2c13d7119fc594d53291639c1f4bb01d04ff97a4f901',
    );
  });

  test('takes a number of statements that follows from its pages, not from its payments or differences', async () => {
    const counted = await countStatements(csv);
    expect(counted.length).toBeLessThan(40);
  });
});
