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
  throw new Error(`${column} is not a supported currency.`);
}

/** Plain digits without leading zeros, at most 12 before the decimal point and 2 after it. Zero matches; other rules may exclude it. */
export const fiatPattern = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;

/** Parses a positive amount that matches `fiatPattern`. Returns null for anything else. */
export function parseFiat(text: string): Decimal | null {
  if (!fiatPattern.test(text)) return null;
  const amount = new Decimal(text);
  return amount.isPositive() && !amount.isZero() ? amount : null;
}

/** As many decimals as the price of a paid API call may have, which is often below a cent. */
export const CALL_PRICE_DIGITS = 6;
const callPricePattern = new RegExp(`^(0|[1-9]\\d{0,11})(\\.\\d{1,${CALL_PRICE_DIGITS}})?$`);

/** Parses the positive price of a paid API call, such as "0.001". Returns null for anything else. */
export function parseCallPrice(text: string): Decimal | null {
  if (!callPricePattern.test(text)) return null;
  const price = new Decimal(text);
  return price.isZero() ? null : price;
}

/** Prints an amount with all of its fraction digits, and at least two: "10.00", "0.001". */
export function printPrice(amount: { toFixed(places?: number): string; decimalPlaces(): number }): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces()));
}

/** Prints an amount as "10.00". Accepts the decimals of both Prisma and decimal.js. */
export function printFiat(amount: { toFixed(places: number): string }): string {
  return amount.toFixed(2);
}
