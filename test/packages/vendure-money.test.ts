/** The amounts of the Vendure plugin: Vendure's integers, the gateway's decimal strings, and base units of tokens. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';

// The package is CommonJS, and its types are checked where its framework is installed.
const { decimalOf, minorUnitsOf, refundUnits } = await import(
  join(import.meta.dirname, '../../packages/vendure/src/money.ts')
);

it('converts minor units into decimal strings and back', () => {
  expect(decimalOf(1250, 2)).toBe('12.50');
  expect(decimalOf(5, 2)).toBe('0.05');
  expect(decimalOf(12_500, 3)).toBe('12.50');
  expect(decimalOf(12, 0)).toBe('12.00');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (amount) => {
      expect(minorUnitsOf(decimalOf(amount, 2), 2)).toBe(amount);
    }),
  );
});

it('rejects amounts that it cannot convert exactly', () => {
  expect(() => decimalOf(12_505, 3)).toThrow('fraction of a cent');
  for (const amount of [0, -1, 1.5, Number.NaN, 2 ** 60])
    expect(() => decimalOf(amount, 2)).toThrow('positive integer');
  expect(() => minorUnitsOf('12.505', 2)).toThrow('cannot be expressed');
  for (const text of ['', '1e3', '-1', '1.', '.5']) expect(() => minorUnitsOf(text, 2)).toThrow('cannot be expressed');
  expect(() => minorUnitsOf('90071992547409.93', 2)).toThrow('too large');
});

it('refunds base units proportionally, rounded down', () => {
  expect(refundUnits({ cryptoAmount: '1000000', amount: 300 }, 100)).toBe(333_333n);
  expect(refundUnits({ cryptoAmount: '1', amount: 300 }, 299)).toBe(0n);
  expect(refundUnits({ cryptoAmount: '8000000000000000001', amount: 2100 }, 2100)).toBe(8000000000000000001n);
});

it('never refunds more than was paid, in any number of parts', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), parts, (crypto, refunds) => {
      const amount = refunds.reduce((sum, one) => sum + one, 0);
      const paid = { cryptoAmount: String(crypto), amount };
      const returned = refunds.reduce((sum, one) => sum + refundUnits(paid, one), 0n);
      expect(returned).toBeLessThanOrEqual(crypto);
      expect(crypto - returned).toBeLessThan(BigInt(refunds.length));
    }),
  );
});
