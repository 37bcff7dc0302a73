import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBigInt, toDecimal } from '../../src/prices/base-units.ts';
import { parseFiat, printFiat } from '../../src/prices/money.ts';
import { printUnits, quoteAmount } from '../../src/prices/quote.ts';

const exact = Decimal.clone({ precision: 200 });
const quote = (amount: string, tokenUsd: string, decimals: number, fiatUsd = '1') =>
  quoteAmount({
    amount: new Decimal(amount),
    fiatUsd: new Decimal(fiatUsd),
    tokenUsd: new Decimal(tokenUsd),
    decimals,
  });

const cents = fc.bigInt({ min: 1n, max: 99_999_999_999_999n });
const fiat = cents.map((value) => printUnits(value, 2));
const price = fc.bigInt({ min: 1n, max: 10n ** 14n }).map((value) => printUnits(value, 8));

describe('a quote', () => {
  it('is the amount divided by the price, in base units', () => {
    expect(quote('10.00', '1', 6)).toEqual({ cryptoAmount: 10_000_000n, exchangeRate: '1' });
    expect(quote('10.00', '2500', 18)).toEqual({ cryptoAmount: 4_000_000_000_000_000n, exchangeRate: '0.0004' });
  });

  it('converts other currencies by their price in USD, and keeps its rate per 1 USD', () => {
    expect(quote('10.00', '1', 6, '1.1')).toEqual({ cryptoAmount: 11_000_000n, exchangeRate: '1' });
    expect(quote('10.00', '2', 6, '1.1')).toEqual({ cryptoAmount: 5_500_000n, exchangeRate: '0.5' });
  });

  it('rounds up, so that a payment is never short', () => {
    expect(quote('1.00', '3', 6).cryptoAmount).toBe(333_334n);
    expect(quote('0.01', '100000', 0).cryptoAmount).toBe(1n);
  });

  it('is the smallest number of base units that covers the amount, for any values', () => {
    fc.assert(
      fc.property(fiat, price, price, fc.integer({ min: 0, max: 18 }), (amount, fiatUsd, tokenUsd, decimals) => {
        const { cryptoAmount } = quote(amount, tokenUsd, decimals, fiatUsd);
        const worth = (units: bigint) => new exact(units.toString()).div(new exact(10).pow(decimals)).times(tokenUsd);
        const asked = new exact(amount).times(fiatUsd);
        expect(cryptoAmount).toBeGreaterThan(0n);
        expect(worth(cryptoAmount).gte(asked)).toBe(true);
        expect(worth(cryptoAmount - 1n).lt(asked)).toBe(true);
      }),
    );
  });
});

describe('fiat amounts', () => {
  it('are positive decimals with at most two fraction digits', () => {
    for (const text of ['0.01', '10', '10.5', '999999999999.99']) expect(parseFiat(text)?.toString()).toBeDefined();
    for (const text of [
      '',
      '0',
      '0.00',
      '-1',
      '+1',
      '1e3',
      '1.001',
      ' 1',
      '1,000',
      '.5',
      '1.',
      '1000000000000',
      'NaN',
    ]) {
      expect(parseFiat(text), text).toBeNull();
    }
  });

  it('are formatted with two decimals', () => {
    fc.assert(
      fc.property(fiat, (text) => {
        const parsed = parseFiat(text);
        expect(parsed && printFiat(parsed)).toBe(new Decimal(text).toFixed(2));
      }),
    );
  });
});

describe('base units', () => {
  it('are stored in a column unchanged', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 78n - 1n }), (units) => {
        expect(toBigInt(toDecimal(units))).toBe(units);
      }),
    );
  });

  it('are formatted as whole tokens without losing a digit', () => {
    expect(printUnits(0n, 6)).toBe('0');
    expect(printUnits(1n, 18)).toBe('0.000000000000000001');
    expect(printUnits(12_500_000n, 6)).toBe('12.5');
    expect(printUnits(7n, 0)).toBe('7');
  });
});
