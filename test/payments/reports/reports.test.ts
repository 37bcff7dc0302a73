/** The reports as files: who may read them, which rows they have, and what is in their cells. */
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { printReport } from '../../../src/payments/reports/print-report.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { newTestApp } from '../../setup/api/api.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { insertRows } from './insert-rows.ts';
import { mixedPayments, stories } from './mixed-payments.ts';

const api = await openRestApi();
const { database, world, merchantA, merchantB } = api;
const COUNT = 1400;
const PERIOD = 'from=2026-03-01T00:00:00Z&to=2026-06-01T00:00:00Z';
const tables = ['payments', 'payouts', 'fees', 'balances', 'reconciliation', 'facilitated'];
type Row = Record<string, string | number | null>;

beforeAll(async () => {
  await insertRows(database, mixedPayments({ appId: merchantA.appId, count: COUNT, seed: 1 }));
}, 120_000);

async function rowsOf(name: string, query = PERIOD, key = merchantA.secretKey): Promise<Row[]> {
  const { status, body } = await api.rest('GET', `/reports/${name}?${query}`, { key });
  expect([status, body.success]).toEqual([200, true]);
  return body.data;
}

async function member(role: 'OWNER' | 'VIEWER') {
  const [id, sessionId] = [newId(), newId()];
  await database.member.create({
    data: { id, merchantId: merchantA.merchantId, email: `${id}@example.com`, role },
  });
  const createdAt = world.clock.now();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId: id, expiresAt, createdAt } });
  const { token } = await issueToken(world, { subject: { audience: 'dashboard', memberId: id, sessionId } });
  return { headers: { authorization: `Bearer ${token}` } };
}

describe('who reads', () => {
  const statuses = async (call: object, query = '') => {
    const answers = [...tables, 'ledger'].map(async (name) => {
      const response = await fetch(`${api.url}/reports/${name}?${PERIOD}${query}`, {
        headers: { ...Object(call).headers, ...('key' in call ? { 'x-api-key': String(call.key) } : {}) },
      });
      await response.body?.cancel();
      return response.status;
    });
    return [...new Set(await Promise.all(answers))];
  };

  test('secret keys of the app, and members who name an app of theirs', async () => {
    expect(await statuses({ key: merchantA.secretKey })).toEqual([200]);
    for (const as of [await member('OWNER'), await member('VIEWER')]) {
      expect(await statuses(as, `&appId=${merchantA.appId}`)).toEqual([200]);
      expect(await statuses(as)).toEqual([400]);
      expect(await statuses(as, `&appId=${merchantB.appId}`)).toEqual([403]);
      expect(await statuses(as, `&appId=${newId()}`)).toEqual([403]);
    }
  });

  test('nobody else', async () => {
    expect(await statuses({})).toEqual([401]);
    expect(await statuses({ key: merchantA.publishableKey })).toEqual([403]);
    expect(await statuses({ key: merchantB.secretKey }, `&appId=${merchantA.appId}`)).toEqual([403]);
    const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
    const restricted = await createApiKey(world, { scope, kind: 'SECRET', scopes: ['AUDIT_LOG'] });
    expect(await statuses({ key: restricted.secret })).toEqual([403]);
    const reading = await createApiKey(world, { scope, kind: 'SECRET', scopes: ['READ'] });
    expect(await statuses({ key: reading.secret })).toEqual([200]);
  });

  test('each merchant its own rows', async () => {
    for (const name of tables) expect(await rowsOf(name, PERIOD, merchantB.secretKey)).toEqual([]);
  });
});

test.each([
  ['payments', 'format=xml&from=now&limit=5', ['format', 'from', 'limit']],
  ['ledger', 'format=csv', ['format']],
  ['fees', 'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', ['to']],
  ['payouts', 'from=2025-01-01T00:00:00Z&to=2026-01-03T00:00:00Z', ['to']],
])('refuses /reports/%s?%s', async (name, query, params) => {
  const { status, body } = await api.rest('GET', `/reports/${name}?${query}`, { key: merchantA.secretKey });
  expect(status).toBe(400);
  expect(body.error.details.map(({ param }: { param: string }) => param).sort()).toEqual(params);
});

test('refuses other methods and unknown reports', async () => {
  const posted = await api.rest('POST', '/reports/fees', { key: merchantA.secretKey });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await api.rest('GET', '/reports/taxes', { key: merchantA.secretKey })).status).toBe(404);
  const head = await fetch(`${api.url}/reports/fees?${PERIOD}&format=csv`, {
    method: 'HEAD',
    headers: { 'x-api-key': merchantA.secretKey },
  });
  expect([head.status, head.headers.get('content-disposition')]).toEqual([
    200,
    'attachment; filename="fees-2026-03-01-2026-06-01.csv"',
  ]);
});

describe('the figures', () => {
  const units = (cell: unknown, decimals: number) => {
    const [whole, fraction = ''] = String(cell).replace('-', '').split('.');
    const value = BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
    return String(cell).startsWith('-') ? -value : value;
  };
  const decimalsOf = (row: Row) => (String(row.token_key).startsWith('ETH') ? 18 : 6);

  test('every payment once, in the order of creation, and each divides its amount into its parts', async () => {
    const rows = await rowsOf('payments');
    expect(rows.length).toBe(COUNT);
    expect(rows.map((row) => row.created_at)).toEqual(rows.map((row) => String(row.created_at)).toSorted());
    for (const row of rows.filter(({ token_key }) => token_key !== null)) {
      const parts = ['held', 'returned', 'settled', 'fee', 'undelivered'].map((part) =>
        units(row[`${part}_tokens`], decimalsOf(row)),
      );
      expect(parts.reduce((sum, part) => sum + part)).toBe(BigInt(String(row.crypto_amount_base_units)));
    }
  });

  test('balances follow from the period, and payouts sum to them', async () => {
    const balances = await rowsOf('balances');
    const payouts = await rowsOf('payouts');
    expect(balances.map(({ token_key }) => token_key)).toEqual(['ETH-31337', 'USDC-31337']);
    for (const row of balances) {
      const of = (name: string) => units(row[`${name}_tokens`], decimalsOf(row));
      const paid = of('returned') + of('settled') + of('fee');
      expect(of('opening_held') + of('received') - paid).toBe(of('closing_held'));
      const rowsOfToken = payouts.filter(({ token_key }) => token_key === row.token_key);
      expect(rowsOfToken.reduce((sum, one) => sum + BigInt(String(one.amount_base_units)), 0n)).toBe(paid);
      expect(of('closing_undelivered')).toBeGreaterThan(0n);
    }
    const [first, second] = await Promise.all([
      rowsOf('balances', 'from=2026-03-01T00:00:00Z&to=2026-03-01T12:00:00Z'),
      rowsOf('balances', 'from=2026-03-01T12:00:00Z&to=2026-06-01T00:00:00Z'),
    ]);
    expect(second.map((row) => row.opening_held_tokens)).toEqual(first.map((row) => row.closing_held_tokens));
  });

  test('payouts name address, role and transaction; periods neither overlap nor leave gaps', async () => {
    const all = await rowsOf('payouts');
    const early = await rowsOf('payouts', 'from=2026-03-01T00:00:00Z&to=2026-03-01T12:00:00Z');
    const late = await rowsOf('payouts', 'from=2026-03-01T12:00:00Z&to=2026-06-01T00:00:00Z');
    expect([...early, ...late]).toEqual(all);
    const settled = all.find(({ type, recipient_role }) => type === 'SETTLE' && recipient_role === 'FEE_RECIPIENT');
    expect(settled).toMatchObject({
      recipient_address: `0x33${'1'.padStart(38, '0')}`,
      tx_hash: expect.stringMatching(/^0xd1/),
      block_time: expect.stringMatching(/Z$/),
    });
    const undelivered = all.filter(({ type }) => type === 'CREDIT');
    expect(undelivered.every(({ amount_tokens }) => String(amount_tokens).startsWith('-'))).toBe(true);
    expect(all.some(({ type }) => type === 'REVERSE_SETTLE')).toBe(true);
    expect(all.some(({ type }) => type === 'SETTLE#2')).toBe(true);
  });

  test('fees have the value at the price of the payment, and gas in coins and USD', async () => {
    const rows = await rowsOf('fees');
    const paid = new Map((await rowsOf('payments')).map((row) => [row.payment_intent_id, row]));
    for (const row of rows) {
      const payment = paid.get(row.payment_intent_id ?? '');
      expect(row.fee_tokens).toBe(payment?.fee_tokens);
      expect(row.gas_cost_usd).toBe(payment?.gas_cost_usd);
      const [fee, amount] = [row.fee_base_units ?? 0, payment?.crypto_amount_base_units ?? 1];
      expect(row.fee_fiat).toBe(new Decimal(payment?.amount_fiat ?? 0).times(fee).dividedBy(amount).toFixed(8));
    }
    expect(rows[0]).toMatchObject({ gas_coin: 'ETH', gas_cost_coin: expect.stringMatching(/^0\.00003/) });
    expect(rows.some(({ gas_unpriced_count }) => gas_unpriced_count === 1)).toBe(true);
    expect(rows.length).toBeLessThan(COUNT - COUNT / stories.length);
  });
});

test('CSV has a header line, and text that a spreadsheet does not evaluate', async () => {
  const app = await newTestApp(world, { name: 'CSV', mode: 'TEST' });
  const { intents } = mixedPayments({ appId: app.appId, count: 2, seed: 2, first: 900_000 });
  const [one, two] = intents;
  if (!one || !two) throw new Error('There are no payments.');
  await database.paymentIntent.createMany({
    data: [
      { ...one, status: 'CREATED', externalId: '=HYPERLINK("https://example.com")', createdAt: new Date('2026-03-01') },
      { ...two, status: 'CREATED', externalId: 'Größe, "XL"\nline', createdAt: new Date('2026-03-02') },
    ],
  });
  const response = await fetch(`${api.url}/reports/payments?format=csv&${PERIOD}`, {
    headers: { 'x-api-key': app.secretKey },
  });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  const [head, first, second, end] = (await response.text()).split('\r\n');
  expect(head).toMatch(/^payment_intent_id,external_id,status,created_at,currency,amount_fiat,chain_id,token_key,/);
  expect(first).toContain(`${one.id},"'=HYPERLINK(""https://example.com"")",CREATED,2026-03-01T00:00:00.000Z,`);
  expect(second).toContain(',"Größe, ""XL""\nline",CREATED,');
  expect(end).toBe('');
});

test('negative amounts stay numbers', async () => {
  const columns = [
    { name: 'amount_tokens', type: 'amount', description: '' },
    { name: 'note', type: 'text', description: '' },
  ] as const;
  async function* pages() {
    yield [{ amount_tokens: '-1.5', note: '-1.5' }];
  }
  let text = '';
  for await (const part of printReport('csv', columns, pages())) text += part;
  expect(text).toBe("amount_tokens,note\r\n-1.5,'-1.5\r\n");
});
