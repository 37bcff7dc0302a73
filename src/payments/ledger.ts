/**
 * The ledger uses double entry: each fact has two or more entries, which sum to zero. A payment has five accounts: PAYER
 * (what the payer paid, negative, and got back), ESCROW (what is held), MERCHANT and FEE (what was paid out), and UNDELIVERED
 * (what the escrow credited to one of these instead of paying it, until it is claimed). The sum of ESCROW over a payment's
 * entries equals the amount that the contract reports as left. Entries are never changed or removed: a fact that a reorganization
 * removed is reversed by entries of its own.
 */
import { z } from 'zod';
import type { ChainFact, LedgerAccount, LedgerEntry } from '../../prisma/client.ts';
import { toBigInt } from '../prices/base-units.ts';
import { type PaymentEvent, type PaymentFact, stepType } from './fold.ts';

type Place = { chainId: number; blockHash: string; logIndex: number; txHash: string };

export type LedgerLine = Place & {
  account: LedgerAccount;
  /** Base units, signed. */
  amount: bigint;
  /** The step's type, prefixed with `REVERSE_` in a reversal, and suffixed with `#2` the second time. */
  kind: string;
};

type BookedLine = Pick<LedgerEntry, 'chainId' | 'blockHash' | 'logIndex' | 'txHash' | 'account' | 'amount' | 'kind'>;

/** What a fact moves between the accounts. */
export type Booking = { place: Place; type: string; movements: Partial<Record<LedgerAccount, bigint>> };

const accounts = ['PAYER', 'ESCROW', 'MERCHANT', 'FEE', 'UNDELIVERED'] as const satisfies readonly LedgerAccount[];

/** Kinds of entries for undeliverable payouts; the entries of a payment's steps use the step type. */
export const payoutBookings = { credit: 'CREDIT', claim: 'CLAIM' } as const;
const ofPayouts: ReadonlySet<string> = new Set(Object.values(payoutBookings));

/** Whether an entry belongs to a payout's credit or claim rather than to a step of the payment. */
export function isOfPayout({ kind }: Pick<LedgerEntry, 'kind'>): boolean {
  return ofPayouts.has(typeOf(kind));
}

/**
 * The kind of the fact by which a payer's money went directly to the merchant (x402 scheme `exact`), and the type of its entries: it moves
 * from PAYER to MERCHANT and is never in ESCROW.
 */
export const TRANSFERRED = 'TransferredWithAuthorization';
const TRANSFER_BOOKING = 'TRANSFER';

/** The booking of a direct transfer; null for any other fact. */
export function transferBooking(fact: Place & Pick<ChainFact, 'kind' | 'args'>): Booking | null {
  if (fact.kind !== TRANSFERRED) return null;
  const amount = BigInt(transferArgs.parse(fact.args).amount);
  return { place: fact, type: TRANSFER_BOOKING, movements: { PAYER: -amount, MERCHANT: amount } };
}

/** The contents of the fact of a direct transfer. Addresses are in lower case, the amount in base units. */
export const transferArgs = z.object({ payer: z.string(), payTo: z.string(), token: z.string(), amount: z.string() });

/** Whether an entry records what a payer paid, rather than what was returned. */
export function isReceipt(kind: string): boolean {
  return /^(REVERSE_)?(AUTHORIZE|TRANSFER)/.test(kind);
}

/** The amounts that an event moves between the accounts, without the accounts that it does not touch. */
export function movementsOf(event: PaymentEvent): Partial<Record<LedgerAccount, bigint>> {
  switch (event.kind) {
    case 'Authorized':
      return { PAYER: -event.terms.amount, ESCROW: event.terms.amount };
    case 'Captured':
      return { PAYER: event.returned, ESCROW: -event.returned };
    case 'Voided':
    case 'Reclaimed':
    case 'Refunded':
      return { PAYER: event.amount, ESCROW: -event.amount };
    case 'Settled':
      return {
        ESCROW: -event.merchantAmount - event.feeAmount,
        MERCHANT: event.merchantAmount,
        FEE: event.feeAmount,
      };
    case 'Disputed':
      return {};
    case 'Resolved':
      return {
        ESCROW: -event.payerAmount - event.merchantAmount - event.feeAmount,
        PAYER: event.payerAmount,
        MERCHANT: event.merchantAmount,
        FEE: event.feeAmount,
      };
    default:
      throw new Error(`No such event: ${String(event satisfies never)}`);
  }
}

/** The entries still missing from a payment's ledger, given the steps that its valid facts show. */
export function missingLines(booked: readonly BookedLine[], facts: readonly PaymentFact[]): LedgerLine[] {
  const bookings = facts.map((fact) => ({
    place: fact,
    type: stepType(fact.event),
    movements: movementsOf(fact.event),
  }));
  return missingOf(booked, bookings);
}

/** The entries still missing from the ledger, given everything that should be in it. */
export function missingOf(booked: readonly BookedLine[], bookings: readonly Booking[]): LedgerLine[] {
  const due = new Map<string, Booking>();
  for (const line of booked) due.set(keyOf(line), { place: line, type: typeOf(line.kind), movements: {} });
  for (const booking of bookings) due.set(keyOf(booking.place), booking);
  return [...due.entries()].flatMap(([key, { place, type, movements }]) => {
    const ofFact = booked.filter((line) => keyOf(line) === key);
    return accounts.flatMap((account) => {
      const lines = ofFact.filter((line) => line.account === account);
      const sum = lines.reduce((total, line) => total + toBigInt(line.amount), 0n);
      const amount = (movements[account] ?? 0n) - sum;
      if (amount === 0n) return [];
      const kind = sum === 0n ? type : `REVERSE_${type}`;
      return { ...placeOf(place), account, amount, kind: numbered(kind, lines) };
    });
  });
}

/** The same fact can be booked, reversed and booked again; each time gets a distinct kind. */
function numbered(kind: string, lines: readonly BookedLine[]): string {
  const before = lines.filter((line) => line.kind.replace(/#\d+$/, '') === kind).length;
  return before === 0 ? kind : `${kind}#${before + 1}`;
}

/** The step or payout type of an entry, without the reversal prefix and the repeat suffix. */
function typeOf(kind: string): string {
  return kind.replace(/^REVERSE_/, '').replace(/#\d+$/, '');
}

function keyOf(place: Place): string {
  return `${place.chainId}-${place.blockHash}-${place.logIndex}`;
}

function placeOf({ chainId, blockHash, logIndex, txHash }: Place): Place {
  return { chainId, blockHash, logIndex, txHash };
}
