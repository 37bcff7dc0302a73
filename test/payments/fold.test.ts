/** The fold, the status and the books, without a chain. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry, PaymentIntentStatus } from '../../prisma/client.ts';
import type { EscrowStatus } from '../../src/escrow/read-escrow-state.ts';
import {
  foldPayment,
  noPayment,
  type PaymentEvent,
  type PaymentFact,
  paymentEventKinds,
} from '../../src/payments/fold.ts';
import { missingLines, movementsOf } from '../../src/payments/ledger.ts';
import { statusOf } from '../../src/payments/payment-status.ts';
import { toDecimal } from '../../src/prices/base-units.ts';

const zero = '0x0000000000000000000000000000000000000000' as const;
const id = `0x${'1'.repeat(64)}` as const;
const of = { id, intentId: id, payer: zero };
const amount = 100n;
const terms = {
  intentId: id,
  payer: zero,
  merchant: zero,
  token: zero,
  amount,
  authorizeBy: 1,
  captureBy: 2,
  timelock: 3,
  disputeWindow: 0,
  disputeTimeout: 0,
  timeoutPayerBps: 0,
  feeBps: 100,
  feeRecipient: zero,
  operator: zero,
  arbiter: zero,
  quoteHash: id,
  captureOnAuthorize: false,
};

const events = {
  Authorized: { kind: 'Authorized', ...of, left: amount, terms },
  Captured: { kind: 'Captured', ...of, left: 80n, captured: 80n, returned: 20n },
  Voided: { kind: 'Voided', ...of, left: 0n, amount },
  Reclaimed: { kind: 'Reclaimed', ...of, left: 0n, amount },
  Refunded: { kind: 'Refunded', ...of, left: 50n, amount: 30n },
  Settled: { kind: 'Settled', ...of, left: 0n, merchantAmount: 79n, feeAmount: 1n },
  Disputed: { kind: 'Disputed', ...of, left: 80n },
  Resolved: {
    kind: 'Resolved',
    ...of,
    left: 0n,
    resolution: 'ARBITER',
    payerBps: 5000,
    payerAmount: 40n,
    merchantAmount: 39n,
    feeAmount: 1n,
  },
} as const satisfies Record<PaymentEvent['kind'], PaymentEvent>;
const refundedInFull: PaymentEvent = { kind: 'Refunded', ...of, left: 0n, amount: 80n };
const forPayer: PaymentEvent = { ...events.Resolved, payerAmount: 80n, merchantAmount: 0n, feeAmount: 0n };

function facts(...list: PaymentEvent[]): PaymentFact[] {
  return list.map((event, logIndex) => ({
    chainId: 1,
    blockNumber: BigInt(logIndex),
    blockHash: `0x${logIndex}`,
    blockTimestamp: BigInt(logIndex),
    txHash: `0xa${logIndex}`,
    logIndex,
    event,
  }));
}

describe('the fold', () => {
  const paths: Record<EscrowStatus, PaymentEvent[]> = {
    NONE: [],
    AUTHORIZED: [events.Authorized],
    CAPTURED: [events.Authorized, events.Captured],
    VOIDED: [events.Authorized, events.Voided],
    RECLAIMED: [events.Authorized, events.Reclaimed],
    REFUNDED: [events.Authorized, events.Captured, refundedInFull],
    SETTLED: [events.Authorized, events.Captured, events.Settled],
    RESOLVED: [events.Authorized, events.Captured, events.Disputed, events.Resolved],
  };

  it.each(Object.entries(paths))('reaches %s', (status, path) => {
    const state = foldPayment(facts(...path));
    expect([state?.status, state?.left]).toEqual([status, path.at(-1)?.left ?? 0n]);
  });

  it('takes from each state only what the contract takes, as a whole grid', () => {
    const taken = Object.entries(paths).flatMap(([status, path]) =>
      Object.values(events)
        .filter((event) => foldPayment(facts(...path, event)) !== null)
        .map((event) => `${status} ${event.kind}`),
    );
    expect(taken).toEqual([
      'NONE Authorized',
      'AUTHORIZED Captured',
      'AUTHORIZED Voided',
      'AUTHORIZED Reclaimed',
      'CAPTURED Refunded',
      'CAPTURED Settled',
      'CAPTURED Disputed',
      'CAPTURED Resolved',
    ]);
  });

  it('refuses a second dispute', () => {
    expect(foldPayment(facts(...paths.CAPTURED, events.Disputed, events.Disputed))).toBeNull();
  });
});

describe('the status', () => {
  const states = {
    NONE: noPayment,
    AUTHORIZED: foldPayment(facts(events.Authorized)),
    VOIDED: foldPayment(facts(events.Authorized, events.Voided)),
    RECLAIMED: foldPayment(facts(events.Authorized, events.Reclaimed)),
    CAPTURED: foldPayment(facts(events.Authorized, events.Captured)),
    REFUNDED: foldPayment(facts(events.Authorized, events.Captured, refundedInFull)),
    SETTLED: foldPayment(facts(events.Authorized, events.Captured, events.Settled)),
    SPLIT: foldPayment(facts(events.Authorized, events.Captured, events.Disputed, events.Resolved)),
    'FOR PAYER': foldPayment(facts(events.Authorized, events.Captured, events.Disputed, forPayer)),
  };
  const undecided = { cancelled: false, failed: false, refundPending: false };
  const row = (decisions: Partial<typeof undecided>) =>
    Object.fromEntries(
      Object.entries(states).map(([name, state]) => [name, state && statusOf(state, { ...undecided, ...decisions })]),
    );
  const plain: Record<keyof typeof states, PaymentIntentStatus> = {
    NONE: 'CREATED',
    AUTHORIZED: 'AUTHORIZED',
    VOIDED: 'CANCELLED',
    RECLAIMED: 'CANCELLED',
    CAPTURED: 'CAPTURED',
    REFUNDED: 'REFUNDED',
    SETTLED: 'SETTLED',
    SPLIT: 'SETTLED',
    'FOR PAYER': 'REFUNDED',
  };

  it('is the chain’s where nothing was decided', () => {
    expect(row({})).toEqual(plain);
  });

  it('keeps a decision only where the chain says nothing against it', () => {
    expect(row({ cancelled: true })).toEqual({ ...plain, NONE: 'CANCELLED' });
    expect(row({ refundPending: true })).toEqual({ ...plain, CAPTURED: 'REFUND_PENDING' });
    expect(row({ failed: true })).toEqual({ ...plain, AUTHORIZED: 'FAILED', VOIDED: 'FAILED', RECLAIMED: 'FAILED' });
  });
});

describe('the books', () => {
  type Booked = Pick<LedgerEntry, 'chainId' | 'blockHash' | 'logIndex' | 'txHash' | 'account' | 'amount' | 'kind'>;
  const book = (booked: readonly Booked[], standing: readonly PaymentFact[]): Booked[] => [
    ...booked,
    ...missingLines(booked, standing).map((line) => ({ ...line, amount: toDecimal(line.amount) })),
  ];
  const total = (booked: readonly Booked[], account?: string) =>
    booked
      .filter((line) => account === undefined || line.account === account)
      .reduce((sum, line) => sum + BigInt(line.amount.toFixed()), 0n);

  it('balance for every event', () => {
    for (const event of Object.values(events)) {
      expect(Object.values(movementsOf(event)).reduce((sum, value) => sum + value, 0n)).toBe(0n);
    }
    expect(Object.keys(events)).toEqual(paymentEventKinds);
  });

  it('hold the remainder of the contract, after any order of bookings and reversals', () => {
    const paths = [
      [events.Authorized, events.Captured, events.Refunded],
      [events.Authorized, events.Voided],
      [events.Authorized, events.Captured, events.Settled],
      [events.Authorized, events.Captured, events.Disputed, events.Resolved],
    ].map((path) => facts(...path));
    const step = fc.record({ path: fc.nat(paths.length - 1), length: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let booked: Booked[] = [];
        for (const { path, length } of steps) {
          // Every path has blocks of its own, as forks do.
          const standing = (paths[path] ?? [])
            .slice(0, length)
            .map((fact) => ({ ...fact, blockHash: `${path}-${fact.blockHash}` }));
          booked = book(booked, standing);
          expect(total(booked)).toBe(0n);
          expect(total(booked, 'ESCROW')).toBe(foldPayment(standing)?.left);
          expect(missingLines(booked, standing)).toEqual([]);
        }
        const keys = booked.map((line) => `${line.blockHash} ${line.logIndex} ${line.account} ${line.kind}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});
