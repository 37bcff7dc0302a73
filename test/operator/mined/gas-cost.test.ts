/** What gas costs, from the receipt to USD. */
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import type { TransactionReceipt } from 'viem';
import { describe, expect, it } from 'vitest';
import { costUsd, gasCostWei, shareCost } from '../../../src/operator/mined/gas-cost.ts';

const receipt = (fields: object) => ({ gasUsed: 50_000n, effectiveGasPrice: 3n, ...fields }) as TransactionReceipt;

describe('the cost of a transaction', () => {
  it.each([
    ['is the gas at the price that was paid', {}, 150_000n],
    ['includes the fee for layer 1, as a client that knows the chain returns it', { l1Fee: 7n }, 150_007n],
    ['includes the fee for layer 1, as the node prints it', { l1Fee: '0x1f' }, 150_031n],
    ['ignores a fee for layer 1 that is no quantity', { l1Fee: '0x' }, 150_000n],
    ['is unknown if the node does not return the price', { effectiveGasPrice: null }, null],
    ['is unknown if it is impossible', { effectiveGasPrice: 1n << 200n }, null],
  ])('%s', (_, fields, wei) => {
    expect(gasCostWei(receipt(fields))).toBe(wei);
  });

  it('is converted at the price of the coin, exactly to 18 decimal places', () => {
    expect(costUsd(150_000n, { priceUsd: new Decimal('2500'), decimals: 18 }).toFixed()).toBe('0.000000000375');
    expect(costUsd(123_456_789_012_345_678_901n, { priceUsd: new Decimal('2500.01'), decimals: 18 }).toFixed()).toBe(
      '308643.207098754320709289',
    );
    expect(costUsd(5n, { priceUsd: new Decimal('0.1'), decimals: 18 }).toFixed()).toBe('0.000000000000000001');
  });
});

describe('the shares of a batch', () => {
  it('give the remainder to the first items', () => {
    expect(shareCost(11n, 3)).toEqual([4n, 4n, 3n]);
    expect(shareCost(1n, 2)).toEqual([1n, 0n]);
    expect(shareCost(5n, 0)).toEqual([]);
  });

  it('sum to the cost, and differ by at most one base unit', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), fc.integer({ min: 1, max: 400 }), (wei, count) => {
        const shares = shareCost(wei, count);
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(wei);
        const [first = 0n] = shares;
        expect(first - (shares.at(-1) ?? 0n)).toBeLessThanOrEqual(1n);
      }),
    );
  });
});
