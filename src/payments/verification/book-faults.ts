/**
 * Compares every field of a payment's records with the facts of the chain in the inbox: each entry of the ledger, the amount that the
 * intent has left, and each payout. This finds what the sums of the ledger cannot show, such as two wrong entries that cancel out.
 */
import type { ChainFact, CreditedPayout, LedgerEntry, PaymentIntent, PaymentTerms } from '../../../prisma/client.ts';
import { parseEscrowEvent } from '../../escrow/escrow-event.ts';
import { parseSolanaEvent } from '../../escrow/solana/solana-event.ts';
import { byPlace } from '../../facts/chain-fact.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { foldPayment, type PaymentEvent, type PaymentFact, stepType } from '../fold.ts';
import { type Booking, movementsOf, TRANSFERRED, transferArgs, transferBooking } from '../ledger.ts';
import type { FoldedPayout } from '../payouts/payout.ts';
import { bookingsOfPayouts } from '../payouts/payout-bookings.ts';

export type Books = {
  intent: Pick<
    PaymentIntent,
    'id' | 'acceptedTermsHash' | 'authorizationChainId' | 'leftAmount' | 'cryptoAmount' | 'cryptoTokenKey'
  >;
  terms: Pick<PaymentTerms, 'chainId' | 'termsHash' | 'tokenKey'>[];
  /** Of these terms, in every status. */
  facts: ChainFact[];
  /** Those of the intent, and those of its terms. */
  entries: LedgerEntry[];
  /** Those of the intent, and those of its terms. */
  payouts: CreditedPayout[];
  /** The result of the valid credits and claims. */
  folded: FoldedPayout[];
};

type Due = Booking & { isStanding: boolean };

/** Returns one sentence for each fault. */
export function bookFaults(books: Books): string[] {
  return [...entryFaults(books), ...intentFaults(books), ...payoutFaults(books)];
}

function entryFaults({ intent, terms, facts, entries, folded }: Books): string[] {
  const faults: string[] = [];
  const dues = new Map<string, Due>();
  for (const fact of facts) {
    const booking = bookingOf(fact);
    if (!booking) continue;
    const due = { ...booking, isStanding: isStanding(fact) };
    dues.set(keyOf({ ...fact, termsHash: fact.ref }), due);
  }
  const termsHashes = new Set(folded.map(({ credit }) => credit.termsHash));
  for (const termsHash of termsHashes) {
    const ofTerms = folded.filter(({ credit }) => credit.termsHash === termsHash);
    for (const booking of bookingsOfPayouts(ofTerms)) {
      dues.set(keyOf({ ...booking.place, termsHash }), { ...booking, isStanding: true });
    }
  }
  const booked = Map.groupBy(entries, keyOf);
  for (const key of new Set([...dues.keys(), ...booked.keys()])) {
    const due = dues.get(key);
    const lines = booked.get(key) ?? [];
    faults.push(...(due ? bookingFaults(due, lines) : withdrawnFaults(lines)));
  }
  for (const entry of entries) {
    const of = terms.find(({ chainId, termsHash }) => chainId === entry.chainId && termsHash === entry.termsHash);
    if (entry.paymentIntentId !== intent.id) faults.push(`${describe(entry)} belongs to another payment intent.`);
    if (of?.tokenKey !== entry.tokenKey) faults.push(`${describe(entry)} is in ${entry.tokenKey}.`);
  }
  return faults;
}

/** The entries of each account alternate between the fact's amount and its reversal. The last one shows whether the fact is valid. */
function bookingFaults(due: Due, lines: readonly LedgerEntry[]): string[] {
  const faults: string[] = [];
  const rounds = new Map<string, number>();
  for (const line of lines) {
    if (line.txHash !== due.place.txHash) faults.push(`${describe(line)} refers to another transaction.`);
    const time = line.createdAt.getTime();
    if ((rounds.get(line.kind) ?? time) !== time)
      faults.push(`${describe(line)} was not booked together with its counterpart.`);
    rounds.set(line.kind, time);
    if ((due.movements[line.account] ?? 0n) === 0n)
      faults.push(`${describe(line)} belongs to an account that this event does not change.`);
  }
  for (const [account, movement] of Object.entries(due.movements)) {
    if (movement === 0n) continue;
    const ofAccount = lines.filter((line) => line.account === account);
    const expected = new Map(ofAccount.map((_line, index) => kindAndAmount(due.type, movement, index)));
    for (const line of ofAccount) {
      const amount = expected.get(line.kind);
      if (amount !== toBigInt(line.amount)) faults.push(`${describe(line)} has the amount ${line.amount.toFixed()}.`);
    }
    const isBooked = ofAccount.length % 2 === 1;
    if (isBooked !== due.isStanding) {
      faults.push(`${due.type} of ${due.place.txHash} is ${isBooked ? '' : 'not '}booked in ${account}.`);
    }
  }
  return faults;
}

function kindAndAmount(type: string, movement: bigint, index: number): [kind: string, amount: bigint] {
  const round = Math.floor(index / 2) + 1;
  const suffix = round === 1 ? '' : `#${round}`;
  return index % 2 === 0 ? [`${type}${suffix}`, movement] : [`REVERSE_${type}${suffix}`, -movement];
}

/** Credits and claims that are no longer valid are reversed. A step always has its fact. */
function withdrawnFaults(lines: readonly LedgerEntry[]): string[] {
  const faults = lines
    .filter(({ kind }) => !/^(REVERSE_)?(CREDIT|CLAIM)(#\d+)?$/.test(kind))
    .map((line) => `${describe(line)} has no fact.`);
  const sums = new Map<string, bigint>();
  for (const { account, amount } of lines) sums.set(account, (sums.get(account) ?? 0n) + toBigInt(amount));
  for (const line of lines) if (sums.get(line.account) !== 0n) faults.push(`${describe(line)} has no standing fact.`);
  return faults;
}

function intentFaults({ intent, terms, facts }: Books): string[] {
  const { acceptedTermsHash, authorizationChainId } = intent;
  const accepted = terms.find(
    ({ chainId, termsHash }) => chainId === authorizationChainId && termsHash === acceptedTermsHash,
  );
  const remaining = intent.leftAmount === null ? null : toBigInt(intent.leftAmount);
  if (!accepted) {
    const isEmpty =
      acceptedTermsHash === null &&
      (remaining ?? 0n) === 0n &&
      intent.cryptoAmount === null &&
      intent.cryptoTokenKey === null;
    return isEmpty ? [] : [`The intent was paid, or has ${remaining} left, and none of its terms is accepted.`];
  }
  const ofTerms = facts.filter((fact) => fact.chainId === accepted.chainId && fact.ref === accepted.termsHash);
  const standing = ofTerms.filter(isStanding).sort(byPlace);
  const state = foldPayment(standing.flatMap((fact) => asPaymentFact(fact) ?? []));
  if (!state) return ['The facts make no sense in their order.'];
  const faults: string[] = [];
  if (remaining !== state.left) faults.push(`The intent has ${remaining} left, its facts ${state.left}.`);
  const paid = state.authorization?.event.terms.amount ?? transferred(standing);
  const stored = intent.cryptoAmount === null ? null : toBigInt(intent.cryptoAmount);
  if (stored !== paid) faults.push(`The intent was paid ${stored}, its facts say ${paid}.`);
  if (intent.cryptoTokenKey !== accepted.tokenKey) faults.push(`The intent was paid in ${intent.cryptoTokenKey}.`);
  return faults;
}

/** The amount that went directly to the merchant, in base units; null for a payment in the escrow. */
function transferred(standing: readonly ChainFact[]): bigint | null {
  const [fact] = standing.filter(({ kind }) => kind === TRANSFERRED);
  return fact ? BigInt(transferArgs.parse(fact.args).amount) : null;
}

function payoutFaults({ intent, terms, payouts, folded }: Books): string[] {
  const faults: string[] = [];
  const rows = new Map(payouts.map((row) => [`${row.chainId}-${row.blockHash}-${row.logIndex}`, row]));
  if (rows.size !== folded.length) faults.push(`${rows.size} payouts are stored, and ${folded.length} stand.`);
  for (const { credit, claim } of folded) {
    const row = rows.get(`${credit.chainId}-${credit.blockHash}-${credit.logIndex}`);
    if (!row) {
      faults.push(`The payout of ${credit.txHash} is missing.`);
      continue;
    }
    const of = terms.find(({ chainId, termsHash }) => chainId === credit.chainId && termsHash === credit.termsHash);
    const expected: { [Field in keyof CreditedPayout]?: unknown } = {
      paymentIntentId: intent.id,
      termsHash: credit.termsHash,
      role: credit.role,
      recipient: credit.recipient,
      token: credit.token,
      keptAt: credit.keptAt,
      tokenKey: of?.tokenKey,
      amount: credit.amount,
      txHash: credit.txHash,
      blockNumber: credit.blockNumber,
      creditedAt: instantOf(credit),
      deliveredTo: claim?.to ?? null,
      deliveredTxHash: claim?.txHash ?? null,
      deliveredBlockNumber: claim?.blockNumber ?? null,
      deliveredBlockHash: claim?.blockHash ?? null,
      deliveredLogIndex: claim?.logIndex ?? null,
      deliveredAt: claim ? instantOf(claim) : null,
    };
    const stored = { ...row, amount: toBigInt(row.amount) };
    for (const [field, value] of Object.entries(expected)) {
      const found: unknown = stored[field as keyof CreditedPayout];
      if (textOf(found) !== textOf(value)) {
        faults.push(`${field} of the payout of ${credit.txHash} is ${textOf(found)} instead of ${textOf(value)}.`);
      }
    }
  }
  return faults;
}

function bookingOf(fact: ChainFact): Booking | null {
  const event = eventOf(fact);
  if (!event) return transferBooking(fact);
  return { place: fact, type: stepType(event), movements: movementsOf(event) };
}

function eventOf(fact: ChainFact): PaymentEvent | null {
  const event = parseEscrowEvent(fact.kind, fact.args) ?? parseSolanaEvent(fact.kind, fact.args);
  return event && 'left' in event ? event : null;
}

function asPaymentFact(fact: ChainFact): PaymentFact | null {
  const event = eventOf(fact);
  return event ? { ...fact, event } : null;
}

function isStanding({ status }: Pick<ChainFact, 'status'>): boolean {
  return status === 'CONFIRMED' || status === 'FINAL';
}

const MS = 1000n;

function instantOf({ blockTimestamp }: { blockTimestamp: bigint }): Date {
  return new Date(Number(blockTimestamp * MS));
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function keyOf(place: { chainId: number; blockHash: string; logIndex: number; termsHash: string | null }): string {
  return `${place.chainId}-${place.blockHash}-${place.logIndex}-${place.termsHash}`;
}

function describe({ kind, account, txHash }: LedgerEntry): string {
  return `The entry ${kind} in ${account} of ${txHash}`;
}
