/**
 * An event as held by two records: the indexer's tables, which contain what it has read and drop what a reorganization removed, and the
 * gateway's inbox (`chain_fact`), which knows the finality of each event and whether it was applied.
 *
 * - indexed: the indexer's tables currently hold it. They never hold Solana events and ERC-3009 authorizations, which a watcher and
 *   transaction receipts add to the inbox.
 * - received: the inbox holds it.
 *
 * The inbox is authoritative for finality, and the fold of facts for acceptance. An event that only the indexer holds is SEEN and not
 * accepted.
 */
import { z } from 'zod';
import { paymentEventKinds } from '../../payments/fold.ts';

const integer = z.string().transform((text) => BigInt(text));

export const recordedEventSchema = z.object({
  chainId: z.int(),
  blockNumber: integer,
  blockHash: z.string(),
  /** Unix seconds. */
  blockTimestamp: integer,
  txHash: z.string(),
  logIndex: z.int(),
  address: z.string(),
  name: z.string(),
  /** The payment's id, for events that carry one. */
  termsHash: z.string().nullable(),
  args: z.record(z.string(), z.unknown()),
  indexed: z.boolean(),
  /** Status in the inbox. Null if the inbox does not hold the event. */
  status: z.enum(['SEEN', 'CONFIRMED', 'FINAL', 'ORPHANED']).nullable(),
  applied: z.boolean(),
  /** Whether this gateway signed the terms, or holds the consent, that the event names. True if it names none. */
  known: z.boolean(),
  /** Whether its payment is the one that counts for its intent. True if it belongs to no payment of this gateway. */
  counts: z.boolean(),
  intentStatus: z.string().nullable(),
  /** The block up to which the inbox was filled. Null if the chain was never read. */
  readNumber: integer.nullable(),
  headNumber: integer.nullable(),
  halted: z.boolean(),
});
export type RecordedEvent = z.infer<typeof recordedEventSchema>;

export type Acceptance =
  | 'ACCEPTED'
  | 'NOT_COUNTED'
  | 'UNKNOWN_TERMS'
  | 'NOT_RECEIVED'
  | 'WAITING_FOR_CONFIRMATIONS'
  | 'WAITING_TO_BE_APPLIED'
  | 'ORPHANED';

/** Kinds that count only for terms that this gateway signed, and kinds that count only for consents that it holds. */
export const termsKinds: readonly string[] = [...paymentEventKinds, 'Credited'];
export const consentKinds: readonly string[] = ['Charged', 'Revoked'];

export function finalityOf({ status }: Pick<RecordedEvent, 'status'>): NonNullable<RecordedEvent['status']> {
  return status ?? 'SEEN';
}

/** Returns what the gateway did with an event, and why it is not accepted. The reason is null for an accepted event. */
export function evaluateEvent(
  event: RecordedEvent,
  { confirmations }: { confirmations: number | null },
): { acceptance: Acceptance; reason: string | null } {
  const { status, applied, chainId } = event;
  if (status === 'ORPHANED') {
    const words = applied ? ', and what was applied of it is being taken back' : '';
    return { acceptance: 'ORPHANED', reason: `Its block is no longer part of the chain${words}.` };
  }
  if (!event.known) {
    const missing = consentKinds.includes(event.name) ? 'holds no such consent' : 'signed no such terms';
    const reason = `This gateway ${missing} on chain ${chainId}: whatever the event claims, it changes nothing.`;
    return { acceptance: 'UNKNOWN_TERMS', reason };
  }
  if (status === null) return { acceptance: 'NOT_RECEIVED', reason: reasonOfAbsence(event) };
  if (status === 'SEEN') {
    return { acceptance: 'WAITING_FOR_CONFIRMATIONS', reason: confirmationsOf(event, confirmations) };
  }
  if (!applied) {
    const reason = event.halted
      ? `Chain ${chainId} is halted: nothing of it is applied until an operator has looked at it.`
      : 'It is confirmed. It is applied once the events of its payment and the state of the contract agree.';
    return { acceptance: 'WAITING_TO_BE_APPLIED', reason };
  }
  return event.counts ? { acceptance: 'ACCEPTED', reason: null } : { acceptance: 'NOT_COUNTED', reason: beside(event) };
}

function reasonOfAbsence({ chainId, blockNumber, readNumber, halted }: RecordedEvent): string {
  if (halted) return `Chain ${chainId} is halted: nothing more is read until an operator has looked at it.`;
  if (readNumber === null) return `The gateway has not read chain ${chainId} yet.`;
  return blockNumber > readNumber
    ? `The gateway has read chain ${chainId} up to block ${readNumber}; the event is in block ${blockNumber}.`
    : `The gateway has read block ${blockNumber} and does not hold the event: its node had another block at that height.`;
}

function confirmationsOf({ blockNumber, headNumber }: RecordedEvent, required: number | null): string {
  const depth = headNumber === null || headNumber < blockNumber ? 0n : headNumber - blockNumber + 1n;
  return required === null
    ? `Its block has ${depth} confirmations, which is not enough.`
    : `Its block has ${depth} of ${required} confirmations, as the gateway last saw the chain.`;
}

function beside({ intentStatus }: RecordedEvent): string {
  const why =
    intentStatus === 'CANCELLED'
      ? 'The payment intent was cancelled, or another payment of it had been accepted'
      : 'Another payment of the intent was accepted, or this one does not fulfil its terms';
  return `${why}: it is recorded in the transactions, and its funds are returned to the payer.`;
}
