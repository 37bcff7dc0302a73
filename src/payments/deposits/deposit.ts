/**
 * A deposit: what arrived at the address of one quote for a plain transfer. The address follows from the escrow and the whole terms,
 * so that whoever sends there consents to them; the terms' payer is the refund address.
 *
 * ```
 * nothing ──less than the amount──► waits until authorizeBy ──────────────► returned
 *    └─────at least the amount, in time──► authorizeFromDeposit of exactly the amount; the rest is returned
 * ```
 *
 * Returned is also whatever arrives after the payment, after `authorizeBy`, in another token, or at an address of an intent that another
 * payment paid or that is cancelled, if it is above the token's minimum. It goes to the terms' payer and nowhere else.
 *
 * Authority: the contract. The inbox holds two kinds of facts. `Deposited` is ours: the balance at a block hash is higher than the facts
 * of that chain explain. `DepositReturned` is the contract's event. So for each token received = collected + returned + held, and a
 * reorganization that removes a block removes what was seen in it.
 *
 * This file owns when addresses are read and what is decided. It does not own the payment's state, which the fold of the escrow's events
 * owns.
 */
import { type Hex, isHex } from 'viem';
import type { DepositAddress, DepositBalance, PaymentIntent } from '../../../prisma/client.ts';
import type { EscrowStatus } from '../../escrow/read-escrow-state.ts';
import { acceptedKey, isAccepted, type PaymentKey } from '../payment-key.ts';

export type DepositWithBalances = DepositAddress & { balances: DepositBalance[] };

/** The kind of the facts that this gateway derives from balances. */
export const DEPOSITED = 'Deposited';
export const RETURNED = 'DepositReturned';

/** A transfer that was sent in time is collected until this long after the quote's end: exchanges process withdrawals slowly. */
export const TRANSFER_GRACE_SECONDS = 1_800;

/** The deposit addresses of one intent, so that a payer who prepares again and again does not make us watch thousands. */
export const ADDRESSES_LIMIT = 20;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Late transfers are the likeliest right after the end. */
const EACH_BLOCK_MS = HOUR_MS;
const HOURLY_MS = 30 * DAY_MS;

/**
 * When an address is read next: at the next block until an hour after `authorizeBy`, then hourly for 30 days, then daily for ever,
 * because an address in somebody's history may be paid at any time.
 */
export function nextLookAt({ authorizeBy }: Pick<DepositAddress, 'authorizeBy'>, now: Date): Date {
  const late = now.getTime() - authorizeBy.getTime();
  if (late < EACH_BLOCK_MS) return now;
  return new Date(now.getTime() + (late < HOURLY_MS ? HOUR_MS : DAY_MS));
}

/** Addresses whose terms can be authorized after this instant are read at each block. */
export function currentSince(now: Date): Date {
  return new Date(now.getTime() - EACH_BLOCK_MS);
}

/** The chain at its newest block. `held` is what lies at the address of the terms' token; `time` is in Unix seconds. */
export type DepositSituation = {
  payment: PaymentKey;
  /** What the terms ask for. */
  amount: bigint;
  authorizeBy: number;
  status: EscrowStatus;
  time: number;
  held: bigint;
  intent: Pick<PaymentIntent, 'status' | 'acceptedTermsHash' | 'authorizationChainId'>;
};

/**
 * What happens with the terms' own token. WAIT_UNTIL_LATE: it may still be topped up. WAIT: something is under way that decides.
 * RETURN: all of it goes back.
 */
export type DepositDecision = 'NOTHING' | 'AUTHORIZE' | 'WAIT' | 'WAIT_UNTIL_LATE' | 'RETURN';

export function decideDeposit(situation: DepositSituation): DepositDecision {
  const { payment, amount, status, held, intent } = situation;
  if (held === 0n) return 'NOTHING';
  if (status !== 'NONE') return 'RETURN';
  // Books and chain differ: a reorganization is being processed.
  if (isAccepted(intent, payment)) return 'WAIT';
  const isWanted = intent.status === 'CREATED' && acceptedKey(intent) === null;
  if (!isCollectable(situation) || !isWanted) return 'RETURN';
  return held >= amount ? 'AUTHORIZE' : 'WAIT_UNTIL_LATE';
}

/** Whether the escrow would still collect; until then only the operator returns the terms' own token. */
export function isCollectable({ status, time, authorizeBy }: Omit<DepositSituation, 'intent' | 'payment'>): boolean {
  return status === 'NONE' && time <= authorizeBy;
}

/**
 * The address that an intent's `transfer` shows: that of the payment that counts; otherwise the newest one that received anything; and
 * while nothing is paid the newest of all. Null for an intent that is paid in another way. `deposits` are oldest first.
 */
export function shownDeposit<Deposit extends DepositWithBalances>(
  intent: Pick<PaymentIntent, 'acceptedTermsHash' | 'authorizationChainId'>,
  deposits: readonly Deposit[],
): Deposit | null {
  const paid = deposits.find((deposit) => isAccepted(intent, deposit));
  const used = deposits.findLast(({ balances }) => balances.some(({ received }) => !received.isZero()));
  return paid ?? used ?? (acceptedKey(intent) === null ? (deposits.at(-1) ?? null) : null);
}

/** What arrived and went back in the terms' own token. */
export function ownBalance({ token, balances }: DepositWithBalances): DepositBalance | undefined {
  return balances.find((balance) => balance.token === token);
}

/** Narrows an id, address or signature that this gateway stored. */
export function hexOf(text: string): Hex {
  if (isHex(text)) return text;
  throw new Error(`${text} is not hex.`);
}
