/** The calculations of the overview: time ranges, chart columns, balances and recent payments. */
import { describe, expect, it } from 'vitest';
import { type Books, sumBooks } from '../../web/src/dashboard/overview/books.ts';
import { type LivePayment, withPayment } from '../../web/src/dashboard/overview/newest-payments.ts';
import { spanOf } from '../../web/src/dashboard/overview/range.ts';
import { stackColumns } from '../../web/src/ui/chart/stack.ts';

describe('a time range', () => {
  const now = new Date('2026-03-01T10:20:30Z');
  it.each([
    ['day', 'HOUR', 24, '2026-02-28T11:00:00.000Z', '2026-03-01T11:00:00.000Z'],
    ['week', 'DAY', 7, '2026-02-23T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['month', 'DAY', 30, '2026-01-31T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['year', 'MONTH', 12, '2025-04-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ] as const)('%s consists of whole buckets including the current one', (range, bucket, size, from, to) => {
    const span = spanOf(range, now);
    expect([span.bucket, span.starts.length, span.from.toISOString(), span.to.toISOString()]).toEqual([
      bucket,
      size,
      from,
      to,
    ]);
  });
});

describe('a column chart', () => {
  const shape = { columns: ['mon', 'tue', 'wed'], layers: ['1', '8453'], height: 100 };

  it('stacks its layers in order, sums equal ones, and ends at a round value', () => {
    const { columns, ticks, top } = stackColumns(
      [
        { column: 'mon', layer: '8453', amount: '0.10' },
        { column: 'mon', layer: '8453', amount: '0.20' },
        { column: 'mon', layer: '1', amount: '0.50' },
        { column: 'wed', layer: '1', amount: '0.40' },
      ],
      shape,
    );
    expect(columns.map(({ total }) => total)).toEqual(['0.8', '0', '0.4']);
    expect(top).toBe('0.8');
    expect(columns[0]?.parts).toEqual([
      { layer: '1', amount: '0.5', from: 0, height: 62.5 },
      { layer: '8453', amount: '0.3', from: 62.5, height: 37.5 },
    ]);
    expect(ticks.map(({ amount }) => amount)).toEqual(['0', '0.2', '0.4', '0.6', '0.8']);
  });

  it('shows an axis without data, and keeps sums beyond the range of a number exact', () => {
    expect(stackColumns([], shape)).toMatchObject({ top: '1', columns: [{ parts: [] }, { parts: [] }, { parts: [] }] });
    const huge = stackColumns([{ column: 'tue', layer: '1', amount: '123456789012345678901.23' }], shape);
    expect(huge.columns[1]?.total).toBe('123456789012345678901.23');
    expect(huge.columns[1]?.parts[0]?.height).toBeLessThanOrEqual(100);
  });
});

describe('the balances', () => {
  const sum = (units: string, value: string) => ({ units, value });
  const nothing = sum('0', '0');
  const book = (tokenKey: string, currency: string, received: ReturnType<typeof sum>): Books[number] => ({
    tokenKey,
    chainId: 1,
    currency,
    received,
    held: received,
    settled: nothing,
    returned: nothing,
    fees: nothing,
    undelivered: nothing,
  });

  it('are summed in one currency, by token', () => {
    const books = [
      book('USDC-1', 'USD', sum('1000001', '0.10')),
      book('ETH-1', 'USD', sum('5', '0.20')),
      book('USDC-1', 'EUR', sum('7', '9')),
    ];
    expect(sumBooks(books, 'USD').slice(0, 3)).toEqual([
      {
        part: 'received',
        value: '0.30',
        tokens: [
          { tokenKey: 'USDC-1', units: '1000001' },
          { tokenKey: 'ETH-1', units: '5' },
        ],
      },
      expect.objectContaining({ part: 'held', value: '0.30' }),
      { part: 'settled', value: '0.00', tokens: [] },
    ]);
  });

  it('include undelivered payouts only if there are any', () => {
    const paid = book('USDC-1', 'USD', sum('1', '0.10'));
    const partsOf = (books: Books) => sumBooks(books, 'USD').map(({ part }) => part);
    expect(partsOf([paid])).toEqual(['received', 'held', 'settled', 'returned', 'fees']);
    expect(partsOf([{ ...paid, undelivered: sum('1', '0.00') }]).at(-1)).toBe('undelivered');
  });
});

describe('the recent payments', () => {
  const payment = (id: string, status: LivePayment['status']): LivePayment => ({
    id,
    status,
    flags: [],
    amount: '1',
    currency: 'USD',
    createdAt: '2026-01-01T00:00:00Z',
    externalId: null,
    cryptoAmount: null,
    cryptoTokenKey: null,
    authorizationChainId: null,
    authorizationWalletAddress: null,
    customerAccount: null,
  });

  it('are sorted newest first, with each payment once in its latest state, up to the limit', () => {
    const updates = [
      payment('01', 'CREATED'),
      payment('03', 'CREATED'),
      payment('02', 'CREATED'),
      payment('01', 'SETTLED'),
    ];
    const shown = updates.reduce<LivePayment[]>((list, update) => withPayment(list, update, 3), []);
    expect(shown.map(({ id, status }) => `${id} ${status}`)).toEqual(['03 CREATED', '02 CREATED', '01 SETTLED']);
    expect(withPayment(shown, payment('04', 'CREATED'), 3).map(({ id }) => id)).toEqual(['04', '03', '02']);
  });
});
