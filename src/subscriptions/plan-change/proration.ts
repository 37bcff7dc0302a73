/**
 * Proration: what a plan change in the middle of a paid period owes. The rest of the period is credited at the old price and
 * charged at the new one, by the second, rounded half up to cents; both become lines of the next invoice. If they bring the
 * invoice below zero, it is zero, and the remainder is carried over to the invoice after it.
 */
import { Decimal } from 'decimal.js';
import { type TaxedLine, type TaxRule, taxLine } from '../../catalog/tax.ts';

const MINOR_DIGITS = 2;

/** Amounts as priced: before an exclusive tax, or including an inclusive one, with `taxAmount` added to or contained in them. */
export type PricedLine = { amount: Decimal; taxAmount: Decimal };

/** The share of `amount` for the rest of the period at `now`; zero once the period is over. */
export function restOf(amount: Decimal, period: { start: Date; end: Date }, now: Date): Decimal {
  const periodMs = period.end.getTime() - period.start.getTime();
  const remainingMs = Math.min(Math.max(period.end.getTime() - now.getTime(), 0), periodMs);
  if (periodMs <= 0) return new Decimal(0);
  return amount.times(remainingMs).div(periodMs).toDecimalPlaces(MINOR_DIGITS, Decimal.ROUND_HALF_UP);
}

/** The credit (negative) and the charge for the rest of a period, each with its tax. */
export function prorate(change: {
  from: { amount: Decimal; tax: TaxRule | null };
  to: { amount: Decimal; tax: TaxRule | null };
  period: { start: Date; end: Date };
  now: Date;
}): { credit: PricedLine; charge: PricedLine } {
  const { from, to, period, now } = change;
  const credit = taxed(restOf(from.amount, period, now), from.tax);
  return {
    credit: { amount: credit.amount.negated(), taxAmount: credit.taxAmount.negated() },
    charge: taxed(restOf(to.amount, period, now), to.tax),
  };
}

/** The line that raises the total of an invoice to zero if its lines sum to less; null if they do not. */
export function settleLines(lines: readonly TaxedLine[]): { carried: TaxedLine | null } {
  const sum = (read: (line: TaxedLine) => Decimal) =>
    lines.reduce((total, line) => total.plus(read(line)), new Decimal(0));
  const gross = sum((line) => line.gross);
  if (!gross.isNegative() || gross.isZero()) return { carried: null };
  return {
    carried: {
      net: sum((line) => line.net).negated(),
      taxAmount: sum((line) => line.taxAmount).negated(),
      gross: gross.negated(),
    },
  };
}

function taxed(amount: Decimal, tax: TaxRule | null): PricedLine {
  return { amount, taxAmount: taxLine({ amount, quantity: 1, tax }).taxAmount };
}
