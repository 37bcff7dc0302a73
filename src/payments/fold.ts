/**
 * The fold derives the state that the escrow contract must be in from a payment's facts in chain order.
 *
 * A payment here is one terms struct, whose hash is its id. An intent has the payments that were made from its terms, of which at most one
 * is accepted. Every event of the contract carries `left`, the amount in escrow after it, so the fold does not add up amounts, and folding
 * the same facts again yields the same state. Authority: the contract. A fold that differs from the contract's own state at the same block
 * means that the evidence is incomplete; it is never applied.
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
  /** The latest refund. */
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

/**
 * The state after `facts`, or null if the contract cannot have emitted them in this order, so that a fact is missing or spurious.
 */
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

/**
 * Whether the facts lead to what the contract holds: the status, the amount left, and whether it is disputed (a dispute changes
 * neither).
 */
export function agrees(state: PaymentState, contract: EscrowState): boolean {
  const isDisputed = contract.disputedAt !== 0;
  return state.status === contract.status && state.left === contract.left && (state.dispute !== null) === isDisputed;
}

/** A dispute resolved entirely in the payer's favor counts as a refund, any other as a settlement. */
export function isForPayer(resolution: Of<'Resolved'>): boolean {
  return resolution.event.merchantAmount + resolution.event.feeAmount === 0n;
}

/** The type of transaction that a fact confirms. */
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

/** The base units that the step moved or, for a dispute, froze. */
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
