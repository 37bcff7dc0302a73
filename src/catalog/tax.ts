/**
 * Tax arithmetic, per line: an exclusive rate is added to the line's amount, an inclusive one is contained in it. Each line is
 * rounded half up to the minor unit, so that lines always sum to the printed totals.
 */
import { Decimal } from 'decimal.js';

export type TaxRule = { percentage: Decimal; inclusive: boolean };

/** One line before tax: the price of one unit as given by the merchant, and the quantity. */
export type TaxableLine = { amount: Decimal; quantity: number; tax: TaxRule | null };

/** `net` + `taxAmount` = `gross`, always. */
export type TaxedLine = { net: Decimal; taxAmount: Decimal; gross: Decimal };

export type TaxedTotal = { subtotal: Decimal; taxAmount: Decimal; total: Decimal };

const MINOR_DIGITS = 2;
const HUNDRED = new Decimal(100);

export function taxLine(line: TaxableLine): TaxedLine {
  const given = line.amount.times(line.quantity);
  if (line.tax === null) return { net: given, taxAmount: new Decimal(0), gross: given };
  const { percentage, inclusive } = line.tax;
  if (inclusive) {
    const taxAmount = roundHalfUp(given.times(percentage).div(HUNDRED.plus(percentage)));
    return { net: given.minus(taxAmount), taxAmount, gross: given };
  }
  const taxAmount = roundHalfUp(given.times(percentage).div(HUNDRED));
  return { net: given, taxAmount, gross: given.plus(taxAmount) };
}

export function taxTotal(lines: readonly TaxedLine[]): TaxedTotal {
  const sum = (read: (line: TaxedLine) => Decimal) =>
    lines.reduce((total, line) => total.plus(read(line)), new Decimal(0));
  return {
    subtotal: sum((line) => line.net),
    taxAmount: sum((line) => line.taxAmount),
    total: sum((line) => line.gross),
  };
}

function roundHalfUp(amount: Decimal): Decimal {
  return amount.toDecimalPlaces(MINOR_DIGITS, Decimal.ROUND_HALF_UP);
}
