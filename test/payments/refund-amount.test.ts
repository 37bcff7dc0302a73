import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseUnitsSchema, parseRefund, refundAmount } from '../../src/payments/actions/refund-amount.ts';

const percent = (value: number) => ({ kind: 'PERCENT', percent: new Decimal(value) }) as const;

describe('the amount of a refund', () => {
  it.each([
    ['100 % of 7', percent(100), 7n, 7n],
    ['50 % of 7', percent(50), 7n, 3n],
    ['33.3 % of 1000', percent(33.3), 1_000n, 333n],
    ['1 % of 100', percent(1), 100n, 1n],
    ['7 of 7', { kind: 'AMOUNT', amount: 7n } as const, 7n, 7n],
    ['all of 7', { kind: 'ALL' } as const, 7n, 7n],
  ])('as %s', (_, size, remaining, expected) => {
    expect(refundAmount(size, remaining)).toBe(expected);
  });

  it('is never nothing and never more than is left', () => {
    expect(() => refundAmount(percent(1), 99n)).toThrow(/less than one base unit/);
    expect(() => refundAmount({ kind: 'AMOUNT', amount: 8n }, 7n)).toThrow('A refund of 8 exceeds the 7 left.');
  });

  it('by percentage is the floor, exactly, for any amount that a token may have', () => {
    const hundredths = fc.integer({ min: 100, max: 10_000 });
    fc.assert(
      fc.property(fc.bigInt({ min: 10_000n, max: 2n ** 128n }), hundredths, (remaining, bps) => {
        expect(refundAmount(percent(bps / 100), remaining)).toBe((remaining * BigInt(bps)) / 10_000n);
      }),
    );
  });

  it('takes positive integers as text only', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^[1-9]\d{0,77}$/.test(text));
        expect(baseUnitsSchema.safeParse(text).success).toBe(false);
      }),
    );
    expect(baseUnitsSchema.safeParse('9'.repeat(78)).success).toBe(true);
  });

  it('names all faults of a request at once', () => {
    const wrong = () => parseRefund({ reason: ' ', amount: '0', percent: 0.5 });
    expect(wrong).toThrow(
      expect.objectContaining({
        details: [
          { param: 'reason', message: '1 to 500 characters' },
          { param: 'amount', message: 'a positive integer of base units, such as "1000000"' },
          { param: 'percent', message: 'from 1 to 100' },
          { param: 'percent', message: 'cannot be given together with amount' },
        ],
      }),
    );
  });
});
