/** Amounts as the pages show them. */
import { describe, expect, it } from 'vitest';
import { fiatFigure, plainDecimal, smallFiatFigure, tokenFigure } from '../../web/src/ui/formats/money.ts';

describe('an amount of a token', () => {
  it.each([
    [12_500_000n, 6, '12.50', '12.50'],
    [12_000_000n, 6, '12.00', '12.00'],
    [1n, 6, '0.000001', '0.000001'],
    [1_234_567_891_234n, 6, '1,234,567.89', '1,234,567.891234'],
    [4_123_456_789_012_345n, 18, '0.00412345', '0.004123456789012345'],
    [1_000_000_000_000_000_001n, 18, '1.00', '1.000000000000000001'],
    [7n, 0, '7', '7'],
    [5n, 1, '0.5', '0.5'],
    [0n, 18, '0.00', '0.00'],
    [1n, 36, `0.${'0'.repeat(35)}1`, `0.${'0'.repeat(35)}1`],
    [-12_500_000n, 6, '−12.50', '−12.50'],
    [123_456_789_012_345_678_901_234_567_890n, 0, '123,456,789,012,345,678,901,234,567,890', undefined],
  ])('%s base units with %s decimals is %s', (units, decimals, words, exact) => {
    const figure = tokenFigure('en', units, decimals);
    expect(figure.words).toBe(words);
    expect(figure.exact).toBe(exact ?? words);
    expect(figure.isShortened).toBe(figure.words !== figure.exact);
  });

  it('is never rounded up', () => {
    expect(tokenFigure('en', 1_999_999_999n, 6).words).toBe('1,999.99');
    expect(tokenFigure('en', 999_999_999_999_999_999n, 18).words).toBe('0.999999');
  });

  it('is formatted for the language, and copied in a machine-readable format', () => {
    expect(tokenFigure('de', 1_234_500_000n, 6).words).toBe('1.234,50');
    expect(plainDecimal(1_234_500_000n, 6)).toBe('1234.5');
    expect(plainDecimal(-5n, 3)).toBe('-0.005');
    expect(plainDecimal(5_000n, 3)).toBe('5');
  });
});

describe('an amount of fiat', () => {
  it.each([
    ['en', '12.5', 'USD', '12.50 USD'],
    ['en', '1234567890123456789.01', 'USD', '1,234,567,890,123,456,789.01 USD'],
    ['de', '1234.5', 'EUR', '1.234,50 EUR'],
    ['en', '1200', 'JPY', '1,200 JPY'],
    ['en', '0.125', 'USD', '0.125 USD'],
    ['en', '-3', 'USD', '−3.00 USD'],
    ['en', '3', 'a currency that is none', '3.00 a currency that is none'],
  ])('in %s, %s %s is %s', (language, amount, currency, words) => {
    expect(fiatFigure(language, amount, currency)).toBe(words);
  });
});

describe('a cost that may be far below a cent', () => {
  it.each([
    ['0.30864197', '0.30 USD'],
    ['0.00001234', '0.000012 USD'],
    ['0.00000001', '0.00000001 USD'],
    ['0.01', '0.01 USD'],
    ['12.3456', '12.34 USD'],
    ['12.003', '12.00 USD'],
    ['5', '5.00 USD'],
    ['0', '0.00 USD'],
  ])('%s is formatted as %s', (amount, words) => {
    expect(smallFiatFigure('en', amount, 'USD')).toBe(words);
  });

  it('uses the decimal separator of the language', () => {
    expect(smallFiatFigure('de', '1234.5678', 'USD')).toBe('1.234,56 USD');
  });
});
