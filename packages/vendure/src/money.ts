/**
 * Vendure's amounts are integers of 10^-precision of the currency, 0.01 by default. Sluice's fiat amounts are decimal strings
 * with at most two decimals, and its crypto amounts are integer strings in base units. No amount passes through a fraction.
 */

/** Currencies that a payment intent can have. Both have two decimals. */
export const currencies: readonly string[] = ['USD', 'EUR'];

const FIAT_DECIMALS = 2;
/** Vendure's default, if the money strategy has none. */
export const DEFAULT_PRECISION = 2;

/** Converts 1250 to "12.50". Throws if the amount has a fraction of a cent, is not positive, or is not an integer. */
export function decimalOf(amount: number, precision: number): string {
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new Error(`The amount ${amount} is not a positive integer.`);
  const unit = 10n ** BigInt(precision);
  const whole = BigInt(amount) / unit;
  const fraction = String(BigInt(amount) % unit).padStart(precision, '0');
  const cents = (precision === 0 ? '' : fraction).padEnd(FIAT_DECIMALS, '0');
  if (/[1-9]/.test(cents.slice(FIAT_DECIMALS))) {
    throw new Error(`The amount ${amount} with ${precision} decimals has a fraction of a cent.`);
  }
  return `${whole}.${cents.slice(0, FIAT_DECIMALS)}`;
}

/** Converts "12.50" to 1250. Throws if the amount cannot be expressed with this precision. */
export function minorUnitsOf(decimal: string, precision: number): number {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  const kept = fraction.slice(0, precision).padEnd(precision, '0');
  if (whole === '' || /[1-9]/.test(fraction.slice(precision))) {
    throw new Error(`The amount "${decimal}" cannot be expressed with ${precision} decimals.`);
  }
  const units = Number(`${whole}${kept}`);
  if (!Number.isSafeInteger(units)) throw new Error(`The amount "${decimal}" is too large.`);
  return units;
}

/**
 * The base units of the token that correspond to a refund in the currency of the order: the paid base units × refund ÷ amount,
 * rounded down. `refund` and `amount` are in the same minor units.
 */
export function refundUnits(paid: { cryptoAmount: string; amount: number }, refund: number): bigint {
  return (BigInt(paid.cryptoAmount) * BigInt(refund)) / BigInt(paid.amount);
}
