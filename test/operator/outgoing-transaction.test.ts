import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstFees, raisedFees, retryDelayMs } from '../../src/operator/outgoing-transaction.ts';

const wei = fc.bigInt({ min: 1n, max: 10n ** 15n });

describe('the fees of an attempt', () => {
  it('never exceed the cap, and are null while the base fee exceeds it', () => {
    fc.assert(
      fc.property(wei, wei, wei, wei, (maxFee, tip, baseFee, cap) => {
        const fees = firstFees({ maxFeePerGasWei: maxFee, maxPriorityFeePerGasWei: tip }, baseFee, cap);
        expect(fees === null).toBe(baseFee > cap);
        if (!fees) return;
        expect(fees.maxFeePerGasWei <= cap).toBe(true);
        expect(fees.maxPriorityFeePerGasWei <= fees.maxFeePerGasWei).toBe(true);
      }),
    );
  });

  it('both rise by at least an eighth, or not at all', () => {
    fc.assert(
      fc.property(wei, wei, wei, wei, (fee, tip, suggested, cap) => {
        fc.pre(tip <= fee);
        const last = { maxFeePerGasWei: fee, maxPriorityFeePerGasWei: tip };
        const next = raisedFees(last, { maxFeePerGasWei: suggested, maxPriorityFeePerGasWei: 1n }, cap);
        if (!next) return;
        expect(next.maxFeePerGasWei * 8n >= fee * 9n).toBe(true);
        expect(next.maxPriorityFeePerGasWei * 8n >= tip * 9n).toBe(true);
        expect(next.maxFeePerGasWei <= cap).toBe(true);
      }),
    );
  });
});

it('waits longer after each failed simulation, up to a minute', () => {
  expect([1, 2, 3, 4, 7, 100].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 60_000, 60_000]);
});
