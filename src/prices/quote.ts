/**
 * Computes how many base units pay a fiat amount. Uses exact rationals until the last step, which rounds up, so that the merchant never
 * receives too little and the payer pays at most one base unit more than the exact price.
 */
import type { Decimal } from 'decimal.js';

/** `cryptoAmount` is in base units. `exchangeRate` is in whole tokens per 1 USD, also for amounts in other currencies. */
export type QuotedAmount = { cryptoAmount: bigint; exchangeRate: string };

const RATE_DIGITS = 18;

/** `fiatUsd` is the price of one unit of the amount's currency in USD, `tokenUsd` that of one whole token. Both must be positive. */
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

/** Whether the amount is worth less than one base unit of the token. Rounding up would multiply what the payer pays. */
export function isBelowOneUnit(request: {
  amount: Decimal;
  fiatUsd: Decimal;
  tokenUsd: Decimal;
  decimals: number;
}): boolean {
  const amount = ratio(request.amount);
  const fiat = ratio(request.fiatUsd);
  const token = ratio(request.tokenUsd);
  const numerator = amount.above * fiat.above * token.below * 10n ** BigInt(request.decimals);
  return numerator < amount.below * fiat.below * token.above;
}

/** Prints base units as a decimal string of whole tokens, without trailing zeros. */
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
