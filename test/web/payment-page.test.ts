/** One payment without a browser: its story in steps, what can be done, and how much a refund gives back. */
import { describe, expect, test } from 'vitest';
import { allowedActions } from '../../web/src/dashboard/payments/one/allowed-actions.ts';
import { isMoving, type PaymentStory, paymentSteps } from '../../web/src/dashboard/payments/one/payment-steps.ts';
import { planRefund } from '../../web/src/dashboard/payments/one/refund-size.ts';
import { deliveryStateOf } from '../../web/src/dashboard/payouts/undelivered-payout.ts';

type Transaction = PaymentStory['transactions'][number];
const at = (second: number) => new Date(1_700_000_000_000 + second * 1000).toISOString();

function transaction(
  id: string,
  type: Transaction['type'],
  second: number,
  more: Partial<Transaction> = {},
): Transaction {
  return {
    id,
    type,
    chainId: 1,
    status: 'CONFIRMED',
    txHash: `0x${id}`,
    blockNumber: '1',
    blockHash: '0xb',
    amount: '1',
    gasUsed: null,
    gasCost: null,
    error: null,
    createdAt: at(second),
    confirmedAt: null,
    confirmations: 1,
    finality: 'FINAL',
    logs: [],
    ...more,
  };
}
function event(type: string, second: number): PaymentStory['events'][number] {
  return {
    id: `${type}${second}`,
    type,
    sequence: second,
    timestamp: at(second),
    requestId: null,
    finality: null,
    deliveries: [],
  };
}
function entry(kind: string, txHash: string): PaymentStory['ledger'][number] {
  return { id: kind, account: 'ESCROW', kind, amount: '1', tokenKey: 'USDC-1', chainId: 1, txHash, createdAt: at(0) };
}

describe('the steps of a payment', () => {
  const story: Pick<PaymentStory, 'transactions' | 'ledger' | 'events' | 'refunds'> = {
    transactions: [
      transaction('a', 'AUTHORIZE', 10),
      transaction('c', 'CAPTURE', 10, { txHash: '0xa' }),
      transaction('r1', 'REFUND', 20, { status: 'FAILED' }),
      transaction('r2', 'REFUND', 30),
      transaction('s', 'SETTLE', 40),
    ],
    refunds: [
      {
        id: 'f',
        transactionId: 'r2',
        status: 'CONFIRMED',
        amount: '1',
        leftoverAfter: '2',
        reason: 'R',
        error: null,
        createdAt: at(30),
        confirmedAt: null,
      },
    ],
    ledger: [
      entry('AUTHORIZE', '0xa'),
      entry('CAPTURE', '0xa'),
      entry('REFUND#2', '0xr2'),
      entry('REVERSE_SETTLE', '0xs'),
    ],
    events: [
      event('payment_intent.created', 1),
      event('payment_intent.authorized', 11),
      event('payment_intent.captured', 12),
      event('payment_intent.refund_pending', 19),
      event('payment_intent.refund_failed', 22),
      event('payment_intent.refund_pending', 30),
      event('payment_intent.partially_refunded', 33),
      event('payment_intent.reverted', 35),
      event('payment_intent.settled', 41),
    ],
  };

  test('put each booking and event to the transaction that it follows from', () => {
    const steps = paymentSteps({ ...emptyStory, ...story });
    expect(
      steps.map(({ name, entries, events }) => [
        name,
        entries.map(({ kind }) => kind),
        events.map((e) => e.type.split('.')[1]),
      ]),
    ).toEqual([
      ['created', [], ['created']],
      ['AUTHORIZE', ['AUTHORIZE'], ['authorized']],
      ['CAPTURE', ['CAPTURE'], ['captured']],
      ['REFUND', [], ['refund_pending', 'refund_failed']],
      ['REFUND', ['REFUND#2'], ['refund_pending', 'partially_refunded']],
      ['reverted', [], ['reverted']],
      ['SETTLE', ['REVERSE_SETTLE'], ['settled']],
    ]);
    expect(steps[4]?.refund?.id).toBe('f');
  });

  test('have the entries of a claim with the delivery that was told with it', () => {
    const events = [20, 40, 60].map((second) =>
      event(`payment_intent.payout_${second === 20 ? 'un' : ''}delivered`, second),
    );
    const claim = { ...entry('CLAIM', '0xelse'), createdAt: at(41) };
    const steps = paymentSteps({
      ...emptyStory,
      transactions: [transaction('s', 'SETTLE', 10)],
      ledger: [entry('SETTLE', '0xs'), entry('CREDIT', '0xs'), claim],
      events,
    });
    expect(steps.map(({ name, entries }) => [name, entries.map(({ kind }) => kind)])).toEqual([
      ['SETTLE', ['SETTLE', 'CREDIT']],
      ['payout_undelivered', []],
      ['payout_delivered', ['CLAIM']],
      ['payout_delivered', []],
    ]);
  });

  test('are moving until every block is final and every delivery is made', () => {
    expect(isMoving({ ...emptyStory, ...story })).toBe(false);
    expect(isMoving({ ...emptyStory, transactions: [transaction('a', 'CAPTURE', 1, { finality: 'CONFIRMED' })] })).toBe(
      true,
    );
    expect(
      isMoving({ ...emptyStory, transactions: [transaction('a', 'REFUND', 1, { status: 'PENDING', finality: null })] }),
    ).toBe(true);
  });
});

describe('an undelivered payout', () => {
  test.each([
    ['WAITING', { nextTryAt: at(9), isBeingDelivered: false }, undefined],
    ['ASKED', { nextTryAt: at(5), isBeingDelivered: false }, at(5)],
    ['SENT', { nextTryAt: at(9), isBeingDelivered: true }, at(5)],
    ['SENT', { nextTryAt: at(9), isBeingDelivered: true }, undefined],
    ['REFUSED', { nextTryAt: at(9), isBeingDelivered: false }, at(5)],
  ] as const)('is %s with %o when it was asked for at %s', (state, payout, askedAt) => {
    expect(deliveryStateOf(payout, askedAt)).toBe(state);
  });
});

describe('what can be done', () => {
  const payment = { leftoverAmount: '5', dispute: null, transactions: [] };
  test.each([
    ['CREATED', ['cancel']],
    ['AUTHORIZED', ['capture', 'cancel']],
    ['CAPTURED', ['refund']],
    ['REFUND_PENDING', []],
    ['SETTLED', []],
  ] as const)('with %s', (status, actions) => {
    expect(allowedActions({ ...payment, status })).toEqual(actions);
  });

  test('a dispute can be conceded; nothing while money is on its way, or when none is left', () => {
    const dispute = { status: 'OPEN' as const };
    expect(allowedActions({ ...payment, status: 'CAPTURED', dispute })).toEqual(['refund', 'concede']);
    const open = [transaction('a', 'CAPTURE', 1, { status: 'PENDING' })];
    expect(allowedActions({ ...payment, status: 'AUTHORIZED', transactions: open })).toEqual([]);
    expect(allowedActions({ ...payment, status: 'CAPTURED', leftoverAmount: '0' })).toEqual([]);
  });
});

describe('a refund', () => {
  const money = { left: 10_000_001n, decimals: 6 };
  test.each([
    ['everything', { kind: 'all' } as const, 10_000_001n, 0n, {}],
    ['an amount', { kind: 'amount', text: '2,5' } as const, 2_500_000n, 7_500_001n, { amount: '2500000' }],
    ['a percentage, floored', { kind: 'percent', text: '33.3' } as const, 3_330_000n, 6_670_001n, { percent: 33.3 }],
  ])('of %s says what goes back and what is left', (_name, choice, units, leftover, input) => {
    expect(planRefund(choice, money)).toEqual({ isGood: true, units, leftover, input });
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
  ] as const)('%o is refused as %s', (choice, fault) => {
    expect(planRefund(choice, money)).toEqual({ isGood: false, fault });
  });
});

const emptyStory: PaymentStory = {
  id: 'p',
  appId: 'a',
  amount: '1.00',
  currency: 'USD',
  status: 'CREATED',
  captureMode: 'AUTOMATIC',
  externalId: null,
  allowedChains: 'ALL',
  allowedTokens: 'ALL',
  authorizationMethod: null,
  authorizationChainId: null,
  authorizationTokenKey: null,
  authorizationWalletAddress: null,
  authorizationTxHash: null,
  authorizedAt: null,
  cryptoAmount: null,
  cryptoTokenKey: null,
  cryptoTokenDecimals: null,
  exchangeRate: null,
  capturedAt: null,
  captureAttempts: 0,
  timelockDuration: 1,
  timelockEndsAt: null,
  disputeStartDuration: 1,
  settledAt: null,
  refundedAt: null,
  refundReason: null,
  platformFeeBps: 0,
  expiresAt: null,
  sourceType: null,
  sourceId: null,
  metadata: {},
  idempotencyKey: null,
  leftoverAmount: null,
  settlementWaitsUntil: null,
  transfer: null,
  undelivered: [],
  createdAt: at(0),
  updatedAt: at(0),
  customerAccount: null,
  checkoutSession: null,
  dispute: null,
  refunds: [],
  transactions: [],
  ledger: [],
  terms: [],
  events: [],
};
