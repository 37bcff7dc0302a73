import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBaseUnits, parseRefund, refundAmount } from '../../src/payments/refund-amount.ts';

const percent = (value: number) => ({ kind: 'PERCENT', percent: new Decimal(value) }) as const;

describe('the amount of a refund', () => {
  it.each([
    [percent(100), 7n, 7n],
    [percent(50), 7n, 3n],
    [percent(33.3), 1_000n, 333n],
    [percent(1), 100n, 1n],
    [{ kind: 'AMOUNT', amount: 7n } as const, 7n, 7n],
    [{ kind: 'ALL' } as const, 7n, 7n],
  ])('%j of %s is %s', (size, left, expected) => {
    expect(refundAmount(size, left)).toBe(expected);
  });

  it('is never nothing and never more than is left', () => {
    expect(() => refundAmount(percent(1), 99n)).toThrow(/nothing/);
    expect(() => refundAmount({ kind: 'AMOUNT', amount: 8n }, 7n)).toThrow('A refund of 8 exceeds the 7 left.');
  });

  it('by percentage is the floor, exactly, for any amount that a token may have', () => {
    const hundredths = fc.integer({ min: 100, max: 10_000 });
    fc.assert(
      fc.property(fc.bigInt({ min: 10_000n, max: 2n ** 128n }), hundredths, (left, bps) => {
        expect(refundAmount(percent(bps / 100), left)).toBe((left * BigInt(bps)) / 10_000n);
      }),
    );
  });

  it('takes positive integers as text only', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^[1-9]\d{0,77}$/.test(text));
        expect(() => parseBaseUnits(text, 'amount')).toThrow();
      }),
    );
    expect(parseBaseUnits('9'.repeat(78), 'amount')).toBe(BigInt('9'.repeat(78)));
  });

  it('names all faults of a request at once', () => {
    const wrong = () => parseRefund({ reason: ' ', amount: '0', percent: 0.5 });
    expect(wrong).toThrow(
      expect.objectContaining({
        details: [
          { param: 'reason', message: expect.any(String) },
          { param: 'percent', message: expect.any(String) },
          { param: 'amount', message: expect.any(String) },
          { param: 'percent', message: expect.any(String) },
        ],
      }),
    );
  });
});
