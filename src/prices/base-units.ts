/** Base units of tokens: bigint in code, Decimal(78, 0) in rows, integer strings in responses. */
import { Prisma } from '../../prisma/client.ts';

/** Converts a decimal without fraction digits. Throws a SyntaxError for any other. */
export function toBigInt(decimal: { toFixed(): string }): bigint {
  return BigInt(decimal.toFixed());
}

/** Returns the value for a Decimal(78, 0) column. */
export function toDecimal(baseUnits: bigint): Prisma.Decimal {
  return new Prisma.Decimal(baseUnits.toString());
}

/** Returns null for null. */
export function printBaseUnits(decimal: { toFixed(): string } | null): string | null {
  return decimal === null ? null : decimal.toFixed();
}
