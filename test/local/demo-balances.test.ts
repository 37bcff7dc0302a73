import { expect, test } from 'vitest';
import { type Balances, balanceFaults, gains } from '../../src/local/demo/balances.ts';

const before: Balances = { payer: 1000n, escrow: 50n, merchant: 0n, feeRecipient: 7n };

test('a settled payment is balanced if the payer paid what merchant and fee recipient received', () => {
  const after = { payer: 900n, escrow: 50n, merchant: 99n, feeRecipient: 8n };
  expect(balanceFaults(gains(before, after), 100n)).toEqual([]);
});

test('each imbalance is named', () => {
  const held = { payer: 900n, escrow: 149n, merchant: 0n, feeRecipient: 8n };
  expect(balanceFaults(gains(before, held), 100n)).toEqual([
    'The payer paid 100, but merchant and fee recipient received 1.',
    'The escrow still holds 99.',
  ]);
  const twice = { payer: 800n, escrow: 50n, merchant: 198n, feeRecipient: 9n };
  expect(balanceFaults(gains(before, twice), 100n)).toEqual(['The payer should have paid 100, but paid 200.']);
});
