/** The amounts of a refund, as the dialog computes them. */
import { describe, expect, test } from 'vitest';
import { planRefund } from '../../web/src/dashboard/payments/one/refund-size.ts';

describe('a refund', () => {
  const money = { remaining: 10_000_001n, decimals: 6 };
  test.each([
    ['everything', { kind: 'all' } as const, 10_000_001n, 0n, {}],
    ['an amount', { kind: 'amount', text: '2,5' } as const, 2_500_000n, 7_500_001n, { amount: '2500000' }],
    ['a percentage, floored', { kind: 'percent', text: '33.3' } as const, 3_330_000n, 6_670_001n, { percent: 33.3 }],
  ])('of %s shows the refunded and the remaining amount', (_name, choice, units, remainingAfter, input) => {
    expect(planRefund(choice, money)).toEqual({ isGood: true, units, remainingAfter, input });
  });

  test.each([
    [{ kind: 'amount', text: '' }, 'empty'],
    [{ kind: 'amount', text: 'ten' }, 'noNumber'],
    [{ kind: 'amount', text: '1.0000001' }, 'tooFine'],
    [{ kind: 'amount', text: '0' }, 'nothing'],
    [{ kind: 'amount', text: '10.000002' }, 'tooMuch'],
    [{ kind: 'percent', text: '0.5' }, 'percentRange'],
    [{ kind: 'percent', text: '100.1' }, 'percentRange'],
    [{ kind: 'percent', text: '-5' }, 'noNumber'],
    [{ kind: 'amount', text: '01' }, 'noNumber'],
    [{ kind: 'percent', text: '007.5' }, 'noNumber'],
  ] as const)('rejects %o as %s', (choice, fault) => {
    expect(planRefund(choice, money)).toEqual({ isGood: false, fault });
  });
});
