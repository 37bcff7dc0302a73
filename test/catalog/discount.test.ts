import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Discount, discountLines } from '../../src/catalog/coupons/discount.ts';
import { taxTotal } from '../../src/catalog/tax.ts';

const line = (amount: string, quantity = 1, percentage?: number, inclusive = false) => ({
  amount: new Decimal(amount),
  quantity,
  tax: percentage === undefined ? null : { percentage: new Decimal(percentage), inclusive },
});
const printed = (lines: Parameters<typeof discountLines>[0], discount: Discount | null) =>
  discountLines(lines, discount).map(({ discount: off, taxed }) =>
    [off, taxed.net, taxed.taxAmount, taxed.gross].map((figure) => figure.toFixed(2)),
  );

describe('a discount', () => {
  it('is a percentage of each line, rounded half up, with tax on the remaining amount', () => {
    const discount = { percentOffBps: 2_500 };
    expect(printed([line('9.99', 3, 19)], discount)).toEqual([['7.49', '22.48', '4.27', '26.75']]);
    expect(printed([line('11.90', 1, 19, true)], discount)).toEqual([['2.98', '7.50', '1.42', '8.92']]);
  });

  it('is an amount distributed proportionally over the lines, and never more than their value', () => {
    const amountOff = new Decimal('10');
    expect(printed([line('10'), line('10'), line('10')], { amountOff }).map(([off]) => off)).toEqual([
      '3.33',
      '3.34',
      '3.33',
    ]);
    expect(printed([line('4', 1, 20)], { amountOff })).toEqual([['4.00', '0.00', '0.00', '0.00']]);
  });

  it('does not change the lines without a coupon', () => {
    expect(printed([line('9.99', 2, 20)], null)).toEqual([['0.00', '19.98', '4.00', '23.98']]);
  });

  it('never makes a line negative, and subtracts exactly its amount', () => {
    const cents = fc.integer({ min: 1, max: 5_000_000 });
    const lines = fc.array(fc.tuple(cents, fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 20 });
    const amountOff = cents.map((value) => ({ amountOff: new Decimal(value).div(100) }));
    const percent = fc.integer({ min: 1, max: 10_000 }).map((percentOffBps) => ({ percentOffBps }));
    fc.assert(
      fc.property(lines, fc.oneof(amountOff, percent), fc.boolean(), (pairs, discount: Discount, inclusive) => {
        const given = pairs.map(([amount, quantity]) => line((amount / 100).toFixed(2), quantity, 19, inclusive));
        const made = discountLines(given, discount);
        const worth = given.reduce((sum, { amount, quantity }) => sum.plus(amount.times(quantity)), new Decimal(0));
        const off = made.reduce((sum, { discount: share }) => sum.plus(share), new Decimal(0));
        if (made.some(({ discount: share, taxed }) => share.isNegative() || taxed.gross.isNegative())) return false;
        const total = taxTotal(made.map(({ taxed }) => taxed));
        if (!total.subtotal.plus(total.taxAmount).eq(total.total)) return false;
        return !('amountOff' in discount) || off.eq(Decimal.min(discount.amountOff, worth));
      }),
    );
  });
});
