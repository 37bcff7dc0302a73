/**
 * Fiat money in USD and EUR, with cents. Amounts are `Decimal`, printed as decimal strings with two fraction digits, and never a
 * JavaScript number. Taxes are computed in the catalog; token amounts are base units (`base-units.ts`).
 */
import { Decimal } from 'decimal.js';

export const currencies = ['USD', 'EUR'] as const;
export type Currency = (typeof currencies)[number];

export function isCurrency(text: string): text is Currency {
  return (currencies as readonly string[]).includes(text);
}

/** Narrows the value of a currency column, which contains no other values. */
export function currencyOf(column: string): Currency {
  if (isCurrency(column)) return column;
  throw new Error(`${column} is not a currency that is taken.`);
}

/** Plain digits without leading zeros, at most 12 before the decimal point and 2 after it. Zero matches; other rules may exclude it. */
export const fiatPattern = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;

/** Parses a positive amount that matches `fiatPattern`. Returns null for anything else. */
export function parseFiat(text: string): Decimal | null {
  if (!fiatPattern.test(text)) return null;
  const amount = new Decimal(text);
  return amount.isPositive() && !amount.isZero() ? amount : null;
}

/** Prints an amount as "10.00". Accepts the decimals of both Prisma and decimal.js. */
export function printFiat(amount: { toFixed(places: number): string }): string {
  return amount.toFixed(2);
}
