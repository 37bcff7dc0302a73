/** The list of payments without a browser: its address, its live head, its export. */
import { describe, expect, test } from 'vitest';
import type { PaymentRowFragment } from '../../generated/web/documents.ts';
import { emptyHead, takeRow, withChanges } from '../../web/src/dashboard/payments/list/live-head.ts';
import {
  countHidden,
  filterOf,
  hasFilters,
  noFilters,
  printFilters,
  readFilters,
  typedAmount,
  typedMetadata,
} from '../../web/src/dashboard/payments/list/payment-filters.ts';
import { paymentsCsv } from '../../web/src/dashboard/payments/list/payments-csv.ts';

const customer = '0190b0a0-0000-7000-8000-000000000001';

describe('the filters in the address bar', () => {
  const all =
    'search=a%26b&status=CAPTURED%2CFAILED&chain=31337&token=USDC-31337&from=2026-11-01&to=2026-11-30' +
    `&least=1&most=2.50&metadata=order%3D7%3D8&customer=${customer}`;

  test('are restored unchanged', () => {
    const filters = readFilters(all);
    expect(printFilters(filters)).toBe(all);
    expect(countHidden(filters)).toBe(8);
    expect(hasFilters(noFilters)).toBe(false);
  });

  test('ignore invalid values', () => {
    const query =
      'status=LOST,CAPTURED&chain=x&token=<b>&from=2026-02-30&to=soon&least=01&most=1e9&metadata=x&customer=7';
    expect(readFilters(query)).toEqual({ ...noFilters, status: ['CAPTURED'] });
  });

  test('are read from typed text, or refused', () => {
    expect(['', ' 12,50', '1000', '0.5'].map(typedAmount)).toEqual(['', '12.50', '1000', '0.5']);
    expect(['1,000', '12,345', '1.234,50', '-1', 'ten'].map(typedAmount)).toEqual(Array(5).fill(undefined));
    expect(['', ' order=42 '].map(typedMetadata)).toEqual(['', 'order=42']);
    expect(['order', '=42', 'order='].map(typedMetadata)).toEqual(Array(3).fill(undefined));
  });

  test('are sent to the API in the viewer’s time zone, including the last day', () => {
    const filter = filterOf(readFilters(all), 'app');
    expect(filter).toMatchObject({
      appId: 'app',
      status: ['CAPTURED', 'FAILED'],
      chainId: 31337,
      amountFrom: '1',
      amountTo: '2.50',
      metadata: [{ key: 'order', value: '7=8' }],
      search: 'a&b',
    });
    expect(filter.createdFrom).toBe(new Date(2026, 10, 1).toISOString());
    expect(filter.createdTo).toBe(new Date(2026, 11, 1).toISOString());
    expect(filterOf(noFilters, 'app')).toEqual({ appId: 'app' });
  });
});

describe('the live list', () => {
  const row = (id: string, status = 'CREATED', updatedAt = '1') => ({ id, status, updatedAt });
  const options = { newest: 'm', fits: ({ status }: { status: string }) => status !== 'FAILED' };

  test('holds back new rows, newest first, and updates known ones in place', () => {
    let head = emptyHead<ReturnType<typeof row>>();
    for (const one of [row('n'), row('z'), row('b', 'CAPTURED', '2'), row('n', 'AUTHORIZED', '2')]) {
      head = takeRow(head, one, options);
    }
    expect(head.waiting).toEqual([row('z'), row('n', 'AUTHORIZED', '2')]);
    expect(withChanges([row('m'), row('b')], head)).toEqual([row('m'), row('b', 'CAPTURED', '2')]);
  });

  test('drops a waiting row that no longer matches, and ignores outdated updates', () => {
    const head = takeRow(emptyHead<ReturnType<typeof row>>(), row('n', 'CAPTURED', '2'), options);
    expect(takeRow(head, row('n', 'CREATED', '1'), options)).toBe(head);
    expect(takeRow(head, row('n', 'FAILED', '3'), options).waiting).toEqual([]);
    expect(withChanges([row('b', 'SETTLED', '9')], takeRow(head, row('b', 'CAPTURED', '8'), options))).toEqual([
      row('b', 'SETTLED', '9'),
    ]);
  });
});

describe('the export', () => {
  const row = (fields: Partial<PaymentRowFragment>): PaymentRowFragment => ({
    id: 'p',
    x402: null,
    amount: '12.50',
    currency: 'USD',
    status: 'CAPTURED',
    flags: [],
    captureMode: 'AUTOMATIC',
    externalId: null,
    authorizationChainId: 1,
    authorizationWalletAddress: '0xa',
    authorizationTxHash: '0xb',
    cryptoAmount: '12500000000000000001',
    cryptoTokenKey: 'DAI-1',
    cryptoTokenDecimals: 18,
    createdAt: 'c',
    updatedAt: 'u',
    capturedAt: null,
    settledAt: null,
    refundedAt: null,
    customerAccount: null,
    ...fields,
  });

  test('reads every page, and is exact, quoted and free of formulas', async () => {
    const asked: (string | null)[] = [];
    const pages = [
      { rows: [row({ externalId: '=HYPERLINK("x")' })], next: 'one' },
      { rows: [row({ id: 'q', customerAccount: { id: 'k', name: 'Ada, "A"', email: '+a@b' } })], next: null },
    ];
    const lines: string[] = [];
    for await (const text of paymentsCsv(async (after) => {
      asked.push(after);
      return pages[asked.length - 1] ?? { rows: [], next: null };
    })) {
      lines.push(text);
    }
    expect(asked).toEqual([null, 'one']);
    expect(lines[0]).toMatch(/^id,created_at,status,amount,currency,token,token_amount,.*\r\n$/);
    expect(lines[1]).toContain(',12.50,USD,DAI-1,12.500000000000000001,1,0xa,0xb,"\'=HYPERLINK(""x"")",');
    expect(lines[2]).toContain(',k,"Ada, ""A""",\'+a@b,');
  });
});
