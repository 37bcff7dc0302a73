/** One payment without a browser: its steps, its amounts and its allowed actions. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../src/events/event-type.ts';
import { allowedActions } from '../../web/src/dashboard/payments/one/allowed-actions.ts';
import { awaitsPayout, fiatAtPayment, gasSums, moneySums } from '../../web/src/dashboard/payments/one/money-sums.ts';
import { paymentMoments } from '../../web/src/dashboard/payments/one/payment-moments.ts';
import { isMoving, type PaymentStory, paymentSteps } from '../../web/src/dashboard/payments/one/payment-steps.ts';
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

  test('assign each booking and event to the transaction that caused it', () => {
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

  test('have a text for each event that no transaction causes', () => {
    const file = new URL('../../web/src/words/en/payments.json', import.meta.url);
    const { steps } = JSON.parse(readFileSync(file, 'utf8')).story;
    const types = ['AUTHORIZE', 'CAPTURE', 'SETTLE', 'VOID', 'RECLAIM', 'REFUND', 'DISPUTE', 'RESOLVE'] as const;
    const transactions = types.flatMap((type) => [
      transaction(type, type, 1),
      transaction(`${type} failed`, type, 1, { status: 'FAILED' }),
    ]);
    const events = eventTypes.filter((type) => /^(payment_intent|dispute)\./.test(type)).map((type) => event(type, 2));
    const own = paymentSteps({ ...emptyStory, transactions, events }).filter((step) => step.transaction === null);
    expect(own.map(({ name }) => name)).toContain('evidence_submitted');
    expect(own.map(({ name }) => name).filter((name) => !Object.hasOwn(steps, name))).toEqual([]);
  });

  test('include the ledger entries of a claim with the delivery of the same time', () => {
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

  test('are updated until every block is final and every delivery is complete', () => {
    expect(isMoving({ ...emptyStory, ...story })).toBe(false);
    expect(isMoving({ ...emptyStory, transactions: [transaction('a', 'CAPTURE', 1, { finality: 'CONFIRMED' })] })).toBe(
      true,
    );
    expect(
      isMoving({ ...emptyStory, transactions: [transaction('a', 'REFUND', 1, { status: 'PENDING', finality: null })] }),
    ).toBe(true);
  });
});

describe('the timeline of a payment', () => {
  const refundOf = (id: string, status: 'PENDING' | 'CONFIRMED' | 'FAILED'): PaymentStory['refunds'][number] => ({
    id: `refund ${id}`,
    transactionId: id,
    status,
    amount: '1',
    leftoverAfter: '0',
    reason: `Reason ${id}`,
    error: status === 'FAILED' ? 'It was refused.' : null,
    createdAt: at(0),
    confirmedAt: status === 'CONFIRMED' ? at(99) : null,
  });

  test('shows refunds by status, and combines what one transaction does', () => {
    const failing = event('payment_intent.refund_failed', 22);
    const delivery = {
      id: 'd',
      webhookId: 'w',
      status: 'FAILED' as const,
      attempts: 9,
      responseStatus: 500,
      nextRetryAt: null,
      deliveredAt: null,
      createdAt: at(22),
    };
    const moments = paymentMoments({
      ...emptyStory,
      transactions: [
        transaction('a', 'AUTHORIZE', 10),
        transaction('c', 'CAPTURE', 10, { txHash: '0xa' }),
        transaction('r1', 'REFUND', 20, { status: 'FAILED' }),
        transaction('r2', 'REFUND', 30),
        transaction('r3', 'REFUND', 40, { status: 'PENDING', finality: null, txHash: null }),
      ],
      refunds: [refundOf('r1', 'FAILED'), refundOf('r2', 'CONFIRMED'), refundOf('r3', 'PENDING')],
      events: [event('payment_intent.created', 1), { ...failing, deliveries: [delivery] }],
    });
    expect(moments.map(({ name, reason, error, failedDeliveries }) => [name, reason, error, failedDeliveries])).toEqual(
      [
        ['created', null, null, 0],
        ['PAID', null, null, 0],
        ['REFUND_FAILED', 'Reason r1', 'It was refused.', 1],
        ['REFUND', 'Reason r2', null, 0],
        ['REFUNDING', 'Reason r3', null, 0],
      ],
    );
    expect(moments[3]?.at).toBe(at(99));
  });

  test('shows a payout as the amount that the merchant received, with the withheld fee', () => {
    const booked = (account: 'ESCROW' | 'MERCHANT' | 'FEE', amount: string, kind = 'SETTLE') => ({
      ...entry(kind, '0xs'),
      account,
      amount,
    });
    const payout = (ledger: PaymentStory['ledger']) => {
      const transactions = [transaction('s', 'SETTLE', 10, { amount: '7250000' })];
      const [moment] = paymentMoments({ ...emptyStory, transactions, ledger });
      return [moment?.units, moment?.fee];
    };
    const entries = [booked('ESCROW', '-7250000'), booked('MERCHANT', '7177500'), booked('FEE', '72500')];
    expect(payout(entries)).toEqual(['7177500', '72500']);
    expect(payout([booked('ESCROW', '-7250000'), booked('MERCHANT', '7250000')])).toEqual(['7250000', null]);
    expect(payout([])).toEqual([null, null]);
  });

  test('includes a separate capture and an unconfirmed payment', () => {
    const names = (captureMode: PaymentStory['captureMode'], transactions: Transaction[]) =>
      paymentMoments({ ...emptyStory, captureMode, transactions }).map(({ name }) => name);
    expect(names('MANUAL', [transaction('a', 'AUTHORIZE', 1), transaction('c', 'CAPTURE', 2)])).toEqual([
      'HELD',
      'CAPTURE',
    ]);
    expect(names('AUTOMATIC', [transaction('a', 'AUTHORIZE', 1), transaction('c', 'CAPTURE', 2)])).toEqual([
      'PAID',
      'CAPTURE',
    ]);
    expect(names('AUTOMATIC', [transaction('a', 'AUTHORIZE', 1, { status: 'PENDING' })])).toEqual(['PAYING']);
    expect(names('AUTOMATIC', [transaction('a', 'AUTHORIZE', 1, { status: 'FAILED' })])).toEqual(['PAYMENT_FAILED']);
  });
});

describe('the amounts of a payment', () => {
  test.each([
    ['12500000', '12.50', '12500000', '12.50'],
    ['2500000', '12.50', '12500000', '2.50'],
    ['1', '0.01', '3', '0.00'],
    ['2', '0.01', '3', '0.01'],
    ['333333333333333333', '10', '1000000000000000000', '3.33'],
    ['1', '1.00', null, null],
    ['1', '1.005', '1', null],
  ])('%s units of %s paid as %s had a fiat value of %s', (units, amount, cryptoAmount, worth) => {
    expect(fiatAtPayment(BigInt(units), { amount, cryptoAmount })).toBe(worth);
  });

  test('are summed by destination, without failed refunds', () => {
    const refunds = [
      { status: 'CONFIRMED' as const, amount: '2' },
      { status: 'CONFIRMED' as const, amount: '3' },
      { status: 'PENDING' as const, amount: '4' },
      { status: 'FAILED' as const, amount: '100' },
    ];
    const ledger = [
      { account: 'FEE' as const, amount: '1' },
      { account: 'MERCHANT' as const, amount: '9' },
      { account: 'MERCHANT' as const, amount: '-4' },
      { account: 'ESCROW' as const, amount: '-6' },
    ];
    expect(moneySums({ platformFeeBps: 100, refunds, ledger })).toEqual({
      refunded: 5n,
      refunding: 4n,
      fee: 1n,
      paidOut: 5n,
    });
  });

  test.each([
    ['CREATED', null, true],
    ['AUTHORIZED', '12500000', true],
    ['CAPTURED', '12500000', true],
    ['REFUND_PENDING', '2500000', true],
    ['CAPTURED', '0', false],
    ['SETTLED', '0', false],
    ['REFUNDED', '0', false],
    ['CANCELLED', null, false],
    ['FAILED', '12500000', false],
  ] as const)('%s with %s left has a fee at the payout: %s', (status, leftoverAmount, isExpected) => {
    expect(awaitsPayout({ status, leftoverAmount })).toBe(isExpected);
  });

  test('include gas by coin, without a fiat value if a part of it is unknown', () => {
    const gas = (coin: string, amount: string, amountUsd: string | null) => ({
      gasCost: { coin, decimals: 18, amount, amountUsd },
    });
    expect(
      gasSums([gas('ETH', '7', '0.000001'), gas('ETH', '8', '1.5'), { gasCost: null }, gas('POL', '1', null)]),
    ).toEqual([
      { coin: 'ETH', decimals: 18, units: 15n, amountUsd: '1.500001' },
      { coin: 'POL', decimals: 18, units: 1n, amountUsd: null },
    ]);
  });
});

describe('an undelivered payout', () => {
  test.each([
    ['WAITING', { nextTryAt: at(9), isBeingDelivered: false }, undefined],
    ['ASKED', { nextTryAt: at(5), isBeingDelivered: false }, at(5)],
    ['SENT', { nextTryAt: at(9), isBeingDelivered: true }, at(5)],
    ['SENT', { nextTryAt: at(9), isBeingDelivered: true }, undefined],
    ['REFUSED', { nextTryAt: at(9), isBeingDelivered: false }, at(5)],
  ] as const)('is %s with %o when delivery was requested at %s', (state, payout, askedAt) => {
    expect(deliveryStateOf(payout, askedAt)).toBe(state);
  });
});

describe('the allowed actions', () => {
  const payment = { leftoverAmount: '5', dispute: null, transactions: [] };
  test.each([
    ['CREATED', ['cancel']],
    ['AUTHORIZED', ['capture', 'cancel']],
    ['CAPTURED', ['refund']],
    ['REFUND_PENDING', []],
    ['SETTLED', []],
  ] as const)('for status %s', (status, actions) => {
    expect(allowedActions({ ...payment, status })).toEqual(actions);
  });

  test('include conceding a dispute, and are empty while a transaction is pending or nothing is left', () => {
    const dispute = { status: 'OPEN' as const };
    expect(allowedActions({ ...payment, status: 'CAPTURED', dispute })).toEqual(['refund', 'concede']);
    const open = [transaction('a', 'CAPTURE', 1, { status: 'PENDING' })];
    expect(allowedActions({ ...payment, status: 'AUTHORIZED', transactions: open })).toEqual([]);
    expect(allowedActions({ ...payment, status: 'CAPTURED', leftoverAmount: '0' })).toEqual([]);
  });

  test('are empty for a paid call by x402 exact, which is never in escrow, and complete for escrow', () => {
    expect(allowedActions({ ...payment, status: 'CAPTURED', x402: { scheme: 'exact' } })).toEqual([]);
    expect(allowedActions({ ...payment, status: 'CAPTURED', x402: { scheme: 'escrow' } })).toEqual(['refund']);
  });
});

const emptyStory: PaymentStory = {
  id: 'p',
  appId: 'a',
  amount: '1.00',
  currency: 'USD',
  status: 'CREATED',
  flags: [],
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
  x402: null,
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
