/**
 * Amounts between the two systems. Medusa has amounts of an order in major units, with any number of decimals; Sluice has fiat
 * amounts with two decimals, and refunds in base units of the token. None of them is ever a floating-point number here.
 */
import type { BigNumberInput } from '@medusajs/framework/types';
import { MathBN, MedusaError } from '@medusajs/framework/utils';

const currencies = ['USD', 'EUR'];
/** Decimals of both currencies. */
const DECIMALS = 2;
/** `ROUND_HALF_UP` of bignumber.js, as Medusa rounds totals. */
const HALF_UP = 4;

/** The amount as a decimal string with two decimals, half up: `33.335` becomes `"33.34"`. */
export function decimalAmount(amount: BigNumberInput): string {
  const value = MathBN.convert(amount);
  if (!value.isFinite()) throw new MedusaError(MedusaError.Types.INVALID_DATA, 'The amount is not a number.');
  return value.toFixed(DECIMALS, HALF_UP);
}

/** The currency as Sluice writes it. Throws INVALID_DATA for a currency in which Sluice has no prices. */
export function currencyOf(code: string): string {
  const currency = code.toUpperCase();
  if (currencies.includes(currency)) return currency;
  throw new MedusaError(
    MedusaError.Types.INVALID_DATA,
    `Sluice accepts payments in ${currencies.join(' and ')}, not in ${currency}. Disable it in regions with other currencies.`,
  );
}

/**
 * The base units to refund: floor(paid × refund ÷ amount), at the rate of the payment. Rounding down never refunds more than was
 * paid, however often an order is refunded in parts; a refund of the whole amount is all that was paid.
 */
export function refundUnits(payment: { cryptoAmount: string; amount: string }, refund: string): bigint {
  return (BigInt(payment.cryptoAmount) * minorUnits(refund)) / minorUnits(payment.amount);
}

function minorUnits(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}
