/**
 * Fiat money: USD and EUR, with cents. Amounts are `Decimal`, printed as decimal strings with two digits; never a
 * JavaScript number. Tax is the catalogue's, tokens are base units (`base-units.ts`).
 */
import { Decimal } from 'decimal.js';

export const currencies = ['USD', 'EUR'] as const;
export type Currency = (typeof currencies)[number];

export function isCurrency(text: string): text is Currency {
  return (currencies as readonly string[]).includes(text);
}

/** Of a row's column, which holds no other. */
export function currencyOf(column: string): Currency {
  if (isCurrency(column)) return column;
  throw new Error(`${column} is not a currency that is taken.`);
}

/** Plain digits without leading zeros, at most 12 before the point and 2 after it. Zero fits; whether it may be is another rule. */
export const fiatPattern = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;

/** A positive amount that fits `fiatPattern`; else null. */
export function parseFiat(text: string): Decimal | null {
  if (!fiatPattern.test(text)) return null;
  const amount = new Decimal(text);
  return amount.isPositive() && !amount.isZero() ? amount : null;
}

/** "10.00"; takes anything that prints itself as Prisma's and decimal.js' decimals do. */
export function printFiat(amount: { toFixed(places: number): string }): string {
  return amount.toFixed(2);
}
