/**
 * The fold: from a payment's facts, in chain order, to the state that the contract must be in.
 *
 * A payment here is one terms struct (its hash is the id); an intent has the payments that were made of its terms, of
 * which one is accepted. Every event of the contract carries `left` after it, so that the fold is absolute: it adds up
 * nothing, and folding the same facts twice is folding them once. Authority: the contract. A fold that differs from the
 * contract's own state at the same block is evidence that is not whole, and is never applied.
 *
 * ```
 * NONE ─Authorized► AUTHORIZED ─Captured► CAPTURED ─Refunded (something left), Disputed► CAPTURED
 *                     │                      ├─Refunded (nothing left)► REFUNDED
 *                     ├─Voided► VOIDED       ├─Settled► SETTLED
 *                     └─Reclaimed► RECLAIMED └─Resolved► RESOLVED
 * ```
 */
import type { TransactionType } from '../../prisma/client.ts';
import type { EscrowEvent } from '../escrow/escrow-event.ts';
import type { EscrowState, EscrowStatus } from '../escrow/read-escrow-state.ts';
import type { SolanaEvent } from '../escrow/solana/solana-event.ts';

/** Events that carry a payment's state. */
export type PaymentEvent = Extract<EscrowEvent, { left: bigint }> | Extract<SolanaEvent, { left: bigint }>;

export type PaymentFact<Event extends PaymentEvent = PaymentEvent> = {
  chainId: number;
  blockNumber: bigint;
  blockHash: string;
  /** Unix seconds. */
  blockTimestamp: bigint;
  txHash: string;
  logIndex: number;
  event: Event;
};

type Of<Kind extends PaymentEvent['kind']> = PaymentFact<Extract<PaymentEvent, { kind: Kind }>>;

export type PaymentState = {
  status: EscrowStatus;
  /** Base units. */
  left: bigint;
  authorization: Of<'Authorized'> | null;
  capture: Of<'Captured'> | null;
  /** The latest. */
  refund: Of<'Refunded'> | null;
  dispute: Of<'Disputed'> | null;
  settlement: Of<'Settled'> | null;
  resolution: Of<'Resolved'> | null;
};

export const noPayment: PaymentState = {
  status: 'NONE',
  left: 0n,
  authorization: null,
  capture: null,
  refund: null,
  dispute: null,
  settlement: null,
  resolution: null,
};

/** The state after `facts`; null when the contract could not have emitted them so, and one is missing or too many. */
export function foldPayment(facts: readonly PaymentFact[]): PaymentState | null {
  let state: PaymentState = noPayment;
  for (const fact of facts) {
    if (state.status !== takenFrom[fact.event.kind]) return null;
    if (fact.event.kind === 'Disputed' && state.dispute) return null;
    state = { ...state, left: fact.event.left, ...after(fact, fact.event) };
  }
  return state;
}

const takenFrom = {
  Authorized: 'NONE',
  Captured: 'AUTHORIZED',
  Voided: 'AUTHORIZED',
  Reclaimed: 'AUTHORIZED',
  Refunded: 'CAPTURED',
  Settled: 'CAPTURED',
  Disputed: 'CAPTURED',
  Resolved: 'CAPTURED',
} as const satisfies Record<PaymentEvent['kind'], EscrowStatus>;

function after(fact: PaymentFact, event: PaymentEvent): Partial<PaymentState> {
  switch (event.kind) {
    case 'Authorized':
      return { status: 'AUTHORIZED', authorization: { ...fact, event } };
    case 'Captured':
      return { status: 'CAPTURED', capture: { ...fact, event } };
    case 'Voided':
      return { status: 'VOIDED' };
    case 'Reclaimed':
      return { status: 'RECLAIMED' };
    case 'Refunded':
      return { status: event.left === 0n ? 'REFUNDED' : 'CAPTURED', refund: { ...fact, event } };
    case 'Settled':
      return { status: 'SETTLED', settlement: { ...fact, event } };
    case 'Disputed':
      return { dispute: { ...fact, event } };
    case 'Resolved':
      return { status: 'RESOLVED', resolution: { ...fact, event } };
    default:
      throw new Error(`No such event: ${String(event satisfies never)}`);
  }
}

/** Whether the facts lead to what the contract holds: status, money, and whether it is disputed, which moves neither. */
export function agrees(state: PaymentState, contract: EscrowState): boolean {
  const isDisputed = contract.disputedAt !== 0;
  return state.status === contract.status && state.left === contract.left && (state.dispute !== null) === isDisputed;
}

/** A dispute that went wholly to the payer is a refund; every other one is a settlement. */
export function isForPayer(resolution: Of<'Resolved'>): boolean {
  return resolution.event.merchantAmount + resolution.event.feeAmount === 0n;
}

/** The kind of transaction that a fact confirms. */
export function stepType(event: PaymentEvent): TransactionType {
  return stepTypes[event.kind];
}

const stepTypes = {
  Authorized: 'AUTHORIZE',
  Captured: 'CAPTURE',
  Voided: 'VOID',
  Reclaimed: 'RECLAIM',
  Refunded: 'REFUND',
  Settled: 'SETTLE',
  Disputed: 'DISPUTE',
  Resolved: 'RESOLVE',
} as const satisfies Record<PaymentEvent['kind'], TransactionType>;

export const paymentEventKinds = Object.keys(stepTypes);

/** Base units that the step moved or, for a dispute, stopped. */
export function stepAmount(event: PaymentEvent): bigint {
  switch (event.kind) {
    case 'Authorized':
      return event.terms.amount;
    case 'Captured':
      return event.captured;
    case 'Voided':
    case 'Reclaimed':
    case 'Refunded':
      return event.amount;
    case 'Settled':
      return event.merchantAmount + event.feeAmount;
    case 'Disputed':
      return event.left;
    case 'Resolved':
      return event.payerAmount + event.merchantAmount + event.feeAmount;
    default:
      throw new Error(`No such event: ${String(event satisfies never)}`);
  }
}

export function blockTime(fact: Pick<PaymentFact, 'blockTimestamp'>): Date {
  return new Date(Number(fact.blockTimestamp) * 1000);
}
