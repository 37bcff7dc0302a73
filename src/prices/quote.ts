/**
 * Quote arithmetic: how many base units pay a fiat amount. Exact rationals until the last step, which rounds up, so that
 * the merchant is never paid short and the payer at most one base unit more than the price says.
 */
import type { Decimal } from 'decimal.js';

/** `cryptoAmount` in base units; `exchangeRate` in whole tokens per 1 USD, for amounts in other currencies too. */
export type QuotedAmount = { cryptoAmount: bigint; exchangeRate: string };

const RATE_DIGITS = 18;

/**
 * `fiatUsd` is the price of one unit of the amount's currency in USD, `tokenUsd` of one whole token; both above zero.
 */
export function quoteAmount(request: {
  amount: Decimal;
  fiatUsd: Decimal;
  tokenUsd: Decimal;
  decimals: number;
}): QuotedAmount {
  const amount = ratio(request.amount);
  const fiat = ratio(request.fiatUsd);
  const token = ratio(request.tokenUsd);
  const numerator = amount.above * fiat.above * token.below * 10n ** BigInt(request.decimals);
  const denominator = amount.below * fiat.below * token.above;
  return {
    cryptoAmount: ceilDivide(numerator, denominator),
    exchangeRate: printUnits((token.below * 10n ** BigInt(RATE_DIGITS)) / token.above, RATE_DIGITS),
  };
}

/** Base units as a decimal string of whole tokens, without zeros at the end. */
export function printUnits(baseUnits: bigint, decimals: number): string {
  const digits = baseUnits.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

function ratio(value: Decimal): { above: bigint; below: bigint } {
  const [whole = '0', fraction = ''] = value.toFixed().split('.');
  return { above: BigInt(whole + fraction), below: 10n ** BigInt(fraction.length) };
}
