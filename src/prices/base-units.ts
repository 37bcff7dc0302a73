/** Base units of tokens: bigint in code, Decimal(78, 0) in rows, integer strings in answers. */
import { Prisma } from '../../prisma/client.ts';

/** Of a column with no digits after the point. Throws a SyntaxError on any other. */
export function toBigInt(decimal: { toFixed(): string }): bigint {
  return BigInt(decimal.toFixed());
}

/** For a Decimal(78, 0) column. */
export function toDecimal(baseUnits: bigint): Prisma.Decimal {
  return new Prisma.Decimal(baseUnits.toString());
}

/** Null stays null. */
export function printBaseUnits(decimal: { toFixed(): string } | null): string | null {
  return decimal === null ? null : decimal.toFixed();
}
