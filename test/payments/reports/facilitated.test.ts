/** The report of x402 payments to other servers, as a file and as the operator's command: who reads what, and exact sums. */
import { beforeAll, describe, expect, test } from 'vitest';
import { monthsOf } from '../../../src/payments/reports/read-facilitated.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { runOperation } from '../../operations/run-operation.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const { database, world, merchantA, merchantB, liveApp } = api;
const PERIOD = 'from=2026-02-15T00:00:00Z&to=2026-04-01T00:00:00Z';
const [first, second] = ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'];

type Made = {
  appId?: string;
  at: string;
  payTo?: string;
  tokenKey?: string;
  amount?: string;
  valueUsd?: string;
  feeBps?: number;
  feeAmount?: string;
  status?: 'PENDING' | 'SETTLED' | 'FAILED';
  gas?: { gasCostWei: string; gasCostUsd: string | null }[];
};

async function make({ appId = merchantA.appId, at, payTo = first, gas = [], ...fields }: Made): Promise<void> {
  const id = newId();
  const { status = 'SETTLED' } = fields;
  await database.exactAuthorization.create({
    data: {
      ...{ id, appId, chainId: 31337, tokenKey: 'USDC-31337', token: `0x${'0c'.repeat(20)}`, fromNumber: 1n },
      ...{ payer: `0x${'0a'.repeat(20)}`, payTo: payTo.toLowerCase(), amount: '10000', valueUsd: '0.01' },
      ...{ validAfter: 0n, validBefore: 1n, nonce: id, signature: '0x', paymentKey: id, purpose: '0x' },
      ...{ feeBps: 50, feeAmount: '50', createdAt: new Date(at) },
      ...{ ...fields, status, failure: status === 'FAILED' ? 'EXPIRED' : null },
    },
  });
  await database.exactGasCost.createMany({
    data: gas.map((cost) => ({ ...cost, outgoingId: newId(), authorizationId: id })),
  });
}

const cost = (gasCostWei: string, gasCostUsd: string | null) => ({ gasCostWei, gasCostUsd });

beforeAll(async () => {
  await make({ at: '2026-02-14T23:59:59.999Z', valueUsd: '77', gas: [cost('7', '7')] });
  await make({ at: '2026-02-15T00:00:00Z', gas: [cost('100000000000000001', '0.000000000000000001')] });
  await make({ at: '2026-02-28T23:59:59.999Z', payTo: second, amount: '3', valueUsd: '0.000003', feeAmount: '1' });
  // A third of a cent for a fee that is not a decimal.
  await make({ at: '2026-03-01T00:00:00Z', amount: '3', valueUsd: '0.01', feeAmount: '1', gas: [cost('2', '0.2')] });
  await make({ at: '2026-03-31T23:59:59.999Z', gas: [cost('3', '0.3'), cost('4', null)] });
  await make({ at: '2026-03-09T12:00:00Z', status: 'FAILED', gas: [cost('5', '0.05')] });
  await make({ at: '2026-03-09T12:00:00Z', status: 'PENDING' });
  await make({ at: '2026-04-01T00:00:00Z', valueUsd: '77' });
  await make({ appId: merchantB.appId, at: '2026-03-09T12:00:00Z', valueUsd: '5', gas: [cost('9', '0.9')] });
});

const read = async (query = PERIOD, key = merchantA.secretKey) => {
  const { status, body } = await api.rest('GET', `/reports/facilitated?${query}`, { key });
  expect([status, body.success]).toEqual([200, true]);
  return body.data;
};

const usdc = { chain_id: 31337, token_key: 'USDC-31337', gas_coin: 'ETH' };
const february = {
  ...{ ...usdc, month: '2026-02', pay_to_address: first, settled_count: 1, failed_count: 0, pending_count: 0 },
  ...{ amount_tokens: '0.01', amount_base_units: '10000', value_usd: '0.01' },
  ...{ fee_tokens: '0.00005', fee_base_units: '50', fee_usd: '0.00005' },
  ...{ gas_cost_coin: '0.100000000000000001', gas_cost_usd: '0.000000000000000001', gas_unpriced_count: 0 },
};
const march = {
  ...{ ...usdc, month: '2026-03', pay_to_address: first, settled_count: 2, failed_count: 1, pending_count: 1 },
  ...{ amount_tokens: '0.010003', amount_base_units: '10003', value_usd: '0.02' },
  ...{ fee_tokens: '0.000051', fee_base_units: '51', fee_usd: '0.003383333333333333' },
  ...{ gas_cost_coin: '0.000000000000000014', gas_cost_usd: '0.55', gas_unpriced_count: 1 },
};

describe('the report', () => {
  test('sums the payments of each month, receiver, chain and token exactly', async () => {
    expect(await read()).toEqual([
      {
        ...february,
        ...{ pay_to_address: second, amount_tokens: '0.000003', amount_base_units: '3', value_usd: '0.000003' },
        ...{ fee_tokens: '0.000001', fee_base_units: '1', fee_usd: '0.000001', gas_cost_coin: '0', gas_cost_usd: '0' },
      },
      february,
      march,
    ]);
  });

  test('covers no more than its period, and months without payments have no row', async () => {
    expect(await read('from=2026-03-10T00:00:00Z&to=2026-06-01T00:00:00Z')).toMatchObject([
      { month: '2026-03', settled_count: 1, failed_count: 0, gas_cost_usd: '0.3' },
      { month: '2026-04', settled_count: 1, value_usd: '77' },
    ]);
    expect(await read('from=2025-12-01T00:00:00Z&to=2026-02-01T00:00:00Z')).toEqual([]);
  });

  test('has rows of its app only', async () => {
    expect(await read(PERIOD, merchantB.secretKey)).toMatchObject([{ value_usd: '5', gas_cost_usd: '0.9' }]);
    expect(await read(PERIOD, liveApp.secretKey)).toEqual([]);
    const foreign = `/reports/facilitated?${PERIOD}&appId=${merchantA.appId}`;
    expect((await api.rest('GET', foreign, { key: merchantB.secretKey })).status).toBe(403);
    expect((await api.rest('GET', foreign)).status).toBe(401);
  });

  test('is downloaded as CSV', async () => {
    const response = await fetch(`${api.url}/reports/facilitated?${PERIOD}&format=csv`, {
      headers: { 'x-api-key': merchantB.secretKey },
    });
    const name = 'facilitated-2026-02-15-2026-04-01.csv';
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    const [head, row, end] = (await response.text()).split('\r\n');
    expect(head).toMatch(/^month,pay_to_address,chain_id,token_key,settled_count,/);
    expect(row).toMatch(new RegExp(`^2026-03,${first},31337,USDC-31337,1,0,0,0.01,10000,5,`));
    expect(end).toBe('');
  });
});

test('a period is split at the beginnings of months in UTC', () => {
  const [from, to] = [new Date('2026-11-30T23:00:00Z'), new Date('2027-01-01T00:00:00Z')];
  expect(monthsOf({ from, to })).toEqual([
    { month: '2026-11', from, to: new Date('2026-12-01T00:00:00Z') },
    { month: '2026-12', from: new Date('2026-12-01T00:00:00Z'), to },
  ]);
});

describe('ops x402 fees', () => {
  const run = (...args: string[]) =>
    runOperation({ database, clock: world.clock }, ['x402', 'fees', ...args, '--json']);
  const ofMarch = { settled: 2, failed: 1, pending: 1, valueUsd: '0.02', feeUsd: '0.003383333333333333' };

  test('sums the payments of a month by app, of all merchants or of one app', async () => {
    const all = await run('--month', '2026-03');
    expect(all.code).toBe(0);
    expect(JSON.parse(all.printed)).toHaveLength(2);
    const { printed } = await run('--month', '2026-03', '--app', merchantA.appId);
    const gas = { gasUsd: '0.55', gasUnpriced: 1 };
    const [row, ...more] = JSON.parse(printed);
    expect([row, more]).toMatchObject([{ appId: merchantA.appId, ...ofMarch, ...gas }, []]);
    expect(JSON.parse(all.printed)).toContainEqual(row);
    const none = await run('--month', '2025-01');
    expect([none.code, none.printed]).toEqual([0, '[]']);
  });

  test('refuses a month or an app that is not one', async () => {
    expect(await run()).toMatchObject({ code: 2, complained: expect.stringContaining('--month') });
    for (const month of ['2026-13', '2026-00', '2026-3', '1999-12', '2100-01', '9999-12'])
      expect(await run('--month', month)).toMatchObject({
        code: 2,
        complained: expect.stringContaining('2000 to 2099'),
      });
    expect(await run('--month', '2099-12')).toMatchObject({ code: 0, printed: '[]' });
    expect(await run('--month', '2026-03', '--app', 'x')).toMatchObject({ code: 2 });
    expect(await run('--month', '2026-03', '--app', newId())).toMatchObject({ code: 1 });
  });
});
