/**
 * What a coupon takes off the lines of a checkout, before tax: a percentage of each line, or an amount that is spread over the
 * lines in proportion. Rounded half up to the minor unit, and never more than the lines are worth.
 */
import { Decimal } from 'decimal.js';
import { type TaxableLine, type TaxedLine, taxLine } from '../tax.ts';

/** `amountOff` is in the currency of the lines. */
export type Discount = { percentOffBps: number } | { amountOff: Decimal };

export type DiscountedLine = { discount: Decimal; taxed: TaxedLine };

const MINOR_DIGITS = 2;
const BPS_DENOMINATOR = 10_000;

/** The lines with their shares of the discount, taxed on what is left of each. */
export function discountLines(lines: readonly TaxableLine[], discount: Discount | null): DiscountedLine[] {
  const worths = lines.map((line) => line.amount.times(line.quantity));
  const shares = discount === null ? worths.map(() => new Decimal(0)) : sharesOf(worths, discount);
  return lines.map(({ tax }, index) => {
    const [worth, share] = [worths[index] ?? new Decimal(0), shares[index] ?? new Decimal(0)];
    return { discount: share, taxed: taxLine({ amount: worth.minus(share), quantity: 1, tax }) };
  });
}

/** A single line with its discount. */
export function discountLine(line: TaxableLine, discount: Discount | null): DiscountedLine {
  const [discounted] = discountLines([line], discount);
  if (!discounted) throw new Error('The line was not discounted.');
  return discounted;
}

function sharesOf(worths: readonly Decimal[], discount: Discount): Decimal[] {
  if ('percentOffBps' in discount) {
    return worths.map((worth) => rounded(worth.times(discount.percentOffBps).div(BPS_DENOMINATOR)));
  }
  const totalWorth = worths.reduce((sum, worth) => sum.plus(worth), new Decimal(0));
  const off = Decimal.min(discount.amountOff, totalWorth);
  // The discount up to and including each line is rounded, so that the shares sum exactly to the amount.
  let [before, given] = [new Decimal(0), new Decimal(0)];
  return worths.map((worth) => {
    before = before.plus(worth);
    const upTo = totalWorth.isZero() ? new Decimal(0) : rounded(off.times(before).div(totalWorth));
    const share = Decimal.min(upTo.minus(given), worth);
    given = given.plus(share);
    return share;
  });
}

function rounded(amount: Decimal): Decimal {
  return amount.toDecimalPlaces(MINOR_DIGITS, Decimal.ROUND_HALF_UP);
}
