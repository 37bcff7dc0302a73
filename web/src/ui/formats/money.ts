/** Formats amounts for display. Uses integers and decimal strings only, because an amount never becomes a number. */

export type Figure = {
  /** With the significant digits only. */
  words: string;
  /** Every digit. */
  exact: string;
  /** Whether `words` omits digits. */
  isShortened: boolean;
};

/** The number of significant digits of a token amount. The digits before the decimal point are always kept. */
const MEANT_DIGITS = 6;
/** The minimum number of digits after the decimal point, if the amount has them. */
const MONEY_DIGITS = 2;

/**
 * `units` are base units, `decimals` is 0 to 36. The result is truncated, because a balance is never shown as more than it is. 12500000
 * with 6 decimals is 12.50, and 4123456789012345 with 18 decimals is 0.00412345.
 */
export function tokenFigure(language: string, units: bigint, decimals: number): Figure {
  const { isNegative, whole, fraction } = split(units, decimals);
  const significant = fraction.replace(/0+$/, '');
  const leading = whole === '0' ? (/^0*/.exec(significant)?.[0].length ?? 0) : 0;
  const kept = leading + Math.max(MEANT_DIGITS - (whole === '0' ? 0 : whole.length), MONEY_DIGITS);
  const shown = significant.slice(0, kept).replace(/0+$/, '');
  const padded = shown.padEnd(Math.min(MONEY_DIGITS, decimals), '0');
  return {
    words: joinFigure(language, isNegative, whole, padded),
    exact: joinFigure(language, isNegative, whole, significant.padEnd(Math.min(MONEY_DIGITS, decimals), '0')),
    isShortened: shown !== significant,
  };
}

/** Base units as a plain decimal string, such as `12.5`, to copy into another program. */
export function plainDecimal(units: bigint, decimals: number): string {
  const { isNegative, whole, fraction } = split(units, decimals);
  const significant = fraction.replace(/0+$/, '');
  return `${isNegative ? '-' : ''}${whole}${significant === '' ? '' : `.${significant}`}`;
}

/** Formats a decimal string in a currency: `12.50 USD`, `1.234,50 EUR` in German. It has at least as many decimals as the currency. */
export function fiatFigure(language: string, amount: string, currency: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount);
  if (!parts) return `${amount} ${currency}`;
  const [, sign = '', whole = '0', fraction = ''] = parts;
  const least = currencyDigits(currency);
  const significant = fraction.replace(/0+$/, '').padEnd(least, '0');
  return `${joinFigure(language, sign === '-', whole, significant)} ${currency}`;
}

/** Formats a decimal string that is not an amount of money, such as a quantity: `1,234.5`. Every digit is shown. */
export function quantityFigure(language: string, quantity: string): string {
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(quantity);
  if (!parts) return quantity;
  const [, whole = '0', fraction = ''] = parts;
  return joinFigure(language, false, whole, fraction.replace(/0+$/, ''));
}

/** The number of significant digits of an amount below one minor unit. */
const SMALL_DIGITS = 2;

/**
 * Formats a cost, which may be far below the currency's minor unit: 0.15734 USD is 0.15 USD, and 0.00001234 USD is 0.000012 USD. It is
 * truncated.
 */
export function smallFiatFigure(language: string, amount: string, currency: string): string {
  const parts = /^(-?\d+)\.(0*)(\d*)$/.exec(amount);
  if (!parts) return fiatFigure(language, amount, currency);
  const [, whole = '0', zeros = '', rest = ''] = parts;
  const least = currencyDigits(currency);
  const isSmall = whole === '0' && zeros.length >= least;
  const fraction = (zeros + rest).slice(0, isSmall ? zeros.length + SMALL_DIGITS : least);
  return fiatFigure(language, fraction === '' ? whole : `${whole}.${fraction}`, currency);
}

/** Creating a formatter takes milliseconds on a phone, so each one is kept. */
const digitsByCurrency = new Map<string, number>();

/** The number of minor digits of a currency: 2 for USD, 0 for JPY. */
function currencyDigits(currency: string): number {
  const digits = digitsByCurrency.get(currency) ?? readCurrencyDigits(currency);
  digitsByCurrency.set(currency, digits);
  return digits;
}

function readCurrencyDigits(currency: string): number {
  try {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
    return maximumFractionDigits ?? MONEY_DIGITS;
  } catch {
    return MONEY_DIGITS;
  }
}

function split(units: bigint, decimals: number): { isNegative: boolean; whole: string; fraction: string } {
  const isNegative = units < 0n;
  const digits = String(isNegative ? -units : units).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return { isNegative, whole: digits.slice(0, point), fraction: digits.slice(point) };
}

/** Intl groups the digits of a bigint of any size. The fraction is formatted here, because Intl would round it as a number. */
function joinFigure(language: string, isNegative: boolean, whole: string, fraction: string): string {
  const { format, point } = numbersOf(language);
  return `${isNegative ? '−' : ''}${format.format(BigInt(whole))}${fraction === '' ? '' : `${point}${fraction}`}`;
}

type Numbers = { format: Intl.NumberFormat; point: string };

const numbersByLanguage = new Map<string, Numbers>();

function numbersOf(language: string): Numbers {
  const known = numbersByLanguage.get(language);
  if (known) return known;
  const format = new Intl.NumberFormat(language);
  const point = format.formatToParts(1.5).find((part) => part.type === 'decimal')?.value ?? '.';
  const numbers = { format, point };
  numbersByLanguage.set(language, numbers);
  return numbers;
}

/** Whether a decimal string without a sign, as the API prints amounts and quantities, is zero. */
export function isZero(amount: string): boolean {
  return /^0(\.0+)?$/.test(amount);
}
