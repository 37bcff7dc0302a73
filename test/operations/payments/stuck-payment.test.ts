/** What a payment waits for, by its recorded state: all combinations, without a database. */
import { describe, expect, it, test } from 'vitest';
import {
  byUrgency,
  type Cause,
  type OpenSending,
  payoutCause,
  renewalCause,
  sendingCause,
  waitsFor,
  whatToDo,
} from '../../../src/operations/payments/stuck-payment.ts';
import { isCounted, renewalCauseCodes } from '../../../src/subscriptions/renewal/renewal-cause.ts';

const queued: OpenSending = { status: 'QUEUED', waitsFor: null, type: 'AUTHORIZE', failures: 0, error: null };
const allowances = [
  'ERC20InsufficientAllowance(0x01, 0, 5)',
  'AllowanceTooLow(0, 5)',
  'ERC20: transfer amount exceeds allowance',
  'ERC20: insufficient allowance',
  'Dai/insufficient-allowance',
];
const balances = [
  'ERC20InsufficientBalance(0x01, 0, 5)',
  'BalanceTooLow(0, 5)',
  'ERC20: transfer amount exceeds balance',
  'Dai/insufficient-balance',
];

describe('a transaction of the installation', () => {
  test.each<[string, Partial<OpenSending>, Cause | null, Cause | null]>([
    ['is young and was not tried', {}, null, 'UNSENT'],
    ['is signed', { status: 'SIGNED' }, null, 'UNMINED'],
    ['is sent', { status: 'SENT' }, null, 'UNMINED'],
    ['waits for gas', { waitsFor: 'GAS' }, 'GAS', 'GAS'],
    ['is signed and waits for gas', { status: 'SIGNED', waitsFor: 'GAS' }, 'GAS', 'GAS'],
    ['waits for its recipient', { waitsFor: 'RECIPIENT' }, 'UNPAYABLE', 'UNPAYABLE'],
    ['waits for a person', { waitsFor: 'PERSON' }, 'PAYOUT', 'PAYOUT'],
    ['is refused', { failures: 1, error: 'TimelockNotOver(1, 2)' }, null, 'REFUSED'],
    ['was given up', { status: 'FAILED', error: 'CaptureByPassed(2, 1)' }, 'GIVEN_UP', 'GIVEN_UP'],
    ['was given up after it had waited', { status: 'FAILED', waitsFor: 'GAS' }, 'GIVEN_UP', 'GIVEN_UP'],
    ['is no authorization', { type: 'SETTLE', failures: 1, error: 'BalanceTooLow(0, 5)' }, null, 'REFUSED'],
  ])('%s', (_, fields, young, old) => {
    const sending = { ...queued, ...fields };
    expect([sendingCause(sending, { isOld: false }), sendingCause(sending, { isOld: true })]).toEqual([young, old]);
  });

  test.each([
    ...allowances.map((error) => [error, 'PAYER_ALLOWANCE'] as const),
    ...balances.map((error) => [error, 'PAYER_BALANCE'] as const),
  ])('waits for the payer if the token rejects it with %s', (error, cause) => {
    expect(sendingCause({ ...queued, failures: 1, error }, { isOld: false })).toBe(cause);
    expect(sendingCause({ ...queued, status: 'FAILED', error }, { isOld: false })).toBe(cause);
  });
});

it('distinguishes rent that the installation must pay from a share that its recipient cannot receive', () => {
  const keptAt = 'keeper';
  expect(payoutCause({ role: 'FEE_RECIPIENT', keptAt })).toBe('RENT');
  expect(payoutCause({ role: 'MERCHANT', keptAt })).toBe('KEPT_SHARE');
  expect(payoutCause({ role: 'PAYER', keptAt: null })).toBe('UNDELIVERED');
});

it('reports a renewal for exactly those causes that do not resolve by themselves', () => {
  for (const code of renewalCauseCodes) expect([code, renewalCause(code) !== null]).toEqual([code, isCounted(code)]);
});

describe('a listed cause', () => {
  const causes = [
    ...['GAS', 'RENT', 'PAYER_BALANCE', 'PAYER_ALLOWANCE', 'UNDELIVERED', 'KEPT_SHARE', 'UNPAYABLE', 'SETTLEMENT'],
    ...['DISPUTE', 'CAPTURE', 'GIVEN_UP', 'REFUSED', 'UNMINED', 'UNSENT', 'PAYOUT', 'CONSENT'],
    ...['CHAIN_PAUSED', 'CHAIN_HALTED'],
  ] as Cause[];
  const about = {
    chainId: 8453,
    chain: 'Base',
    coin: 'ETH',
    symbol: 'USDC',
    recipient: '0x01',
    tokenKey: 'USDC-8453',
    outgoingId: 'one',
  };

  test.each(causes)('has instructions of one complete sentence: %s', (cause) => {
    for (const isRenewal of [false, true]) {
      const words = whatToDo(cause, { ...about, isRenewal });
      expect(words).not.toMatch(/undefined|null|\. [A-Z]/);
      expect(words).toMatch(/^[A-Z].*(\.|npm run ops -- .+)$/);
    }
  });

  it('is sorted by what it waits for, then by age', () => {
    const row = (cause: Cause, since: string) => ({ cause, waitsFor: waitsFor(cause), since });
    const rows = [row('DISPUTE', '1'), row('UNDELIVERED', '3'), row('GAS', '4'), row('RENT', '2')];
    expect(rows.sort(byUrgency).map(({ cause }) => cause)).toEqual(['RENT', 'GAS', 'UNDELIVERED', 'DISPUTE']);
  });
});
