/**
 * A deposit: money that arrived at the address of one quote for a plain transfer. The address is derived from the escrow and the
 * complete terms, so that a payer who sends to it consents to them. The terms' payer is the refund address.
 *
 * ```
 * nothing ──less than the amount──► waits until authorizeBy ──────────────► returned
 *    └─────at least the amount, in time──► authorizeFromDeposit of exactly the amount; the rest is returned
 * ```
 *
 * A deposit is also returned if it arrives after the payment, after `authorizeBy`, in another token, or for an intent that is
 * cancelled or was paid by another payment, provided that it is above the token's minimum. It is returned only to the terms' payer.
 *
 * Authority: the contract. The inbox holds two kinds of facts. The gateway derives `Deposited`: the balance at a block hash exceeds
 * the balance that the facts of that chain explain. `DepositReturned` is an event of the contract. For each token, received =
 * collected + returned + held, and a reorganization that removes a block removes the deposits that were seen in it.
 *
 * This file decides when addresses are read and what happens with their balances. It does not own the payment's state, which the
 * fold of the escrow's events determines.
 */
import { type Hex, isHex } from 'viem';
import type { DepositAddress, DepositBalance, PaymentIntent } from '../../../prisma/client.ts';
import type { EscrowStatus } from '../../escrow/read-escrow-state.ts';
import { acceptedKey, isAccepted, type PaymentKey } from '../payment-key.ts';

export type DepositWithBalances = DepositAddress & { balances: DepositBalance[] };

/** The kind of the facts that this gateway derives from balances. */
export const DEPOSITED = 'Deposited';
export const RETURNED = 'DepositReturned';

/** How long after the quote's end a transfer is still collected, because exchanges process withdrawals slowly. */
export const TRANSFER_GRACE_SECONDS = 1_800;

/** Maximum number of deposit addresses of one intent, so that a payer who prepares repeatedly does not create thousands of them. */
export const ADDRESSES_LIMIT = 20;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Late transfers are most likely shortly after the end. */
const EACH_BLOCK_MS = HOUR_MS;
const HOURLY_MS = 30 * DAY_MS;

/**
 * Returns when an address is read next: at the next block until an hour after `authorizeBy`, then hourly for 30 days, and then
 * daily without end, because an address in a payer's history can be paid at any time.
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

/** The state at the chain's newest block. `held` is the balance of the address in the terms' token; `time` is in Unix seconds. */
export type DepositSituation = {
  payment: PaymentKey;
  /** The requirements of the terms. */
  amount: bigint;
  authorizeBy: number;
  status: EscrowStatus;
  time: number;
  held: bigint;
  intent: Pick<PaymentIntent, 'status' | 'acceptedTermsHash' | 'authorizationChainId'>;
};

/**
 * Decides about the balance in the terms' own token. WAIT_UNTIL_LATE: it may still be topped up. WAIT: a pending transaction or
 * reorganization decides. RETURN: all of it is returned.
 */
export type DepositDecision = 'NOTHING' | 'AUTHORIZE' | 'WAIT' | 'WAIT_UNTIL_LATE' | 'RETURN';

export function decideDeposit(situation: DepositSituation): DepositDecision {
  const { payment, amount, status, held, intent } = situation;
  if (held === 0n) return 'NOTHING';
  if (status !== 'NONE') return 'RETURN';
  // The recorded totals and the chain differ because a reorganization is being processed.
  if (isAccepted(intent, payment)) return 'WAIT';
  const isWanted = intent.status === 'CREATED' && acceptedKey(intent) === null;
  if (!isCollectable(situation) || !isWanted) return 'RETURN';
  return held >= amount ? 'AUTHORIZE' : 'WAIT_UNTIL_LATE';
}

/** Whether the escrow would still collect. As long as it would, only the operator may return the terms' own token. */
export function isCollectable({ status, time, authorizeBy }: Omit<DepositSituation, 'intent' | 'payment'>): boolean {
  return status === 'NONE' && time <= authorizeBy;
}

/**
 * Returns the address that an intent's `transfer` shows: that of the payment that counts; otherwise the newest one with a deposit;
 * and before any payment the newest of all. Null for an intent that is paid in another way. `deposits` are oldest first.
 */
export function shownDeposit<Deposit extends DepositWithBalances>(
  intent: Pick<PaymentIntent, 'acceptedTermsHash' | 'authorizationChainId'>,
  deposits: readonly Deposit[],
): Deposit | null {
  const paid = deposits.find((deposit) => isAccepted(intent, deposit));
  const used = deposits.findLast(({ balances }) => balances.some(({ received }) => !received.isZero()));
  return paid ?? used ?? (acceptedKey(intent) === null ? (deposits.at(-1) ?? null) : null);
}

/** Returns the balance in the terms' own token. */
export function ownBalance({ token, balances }: DepositWithBalances): DepositBalance | undefined {
  return balances.find((balance) => balance.token === token);
}

/** Narrows an id, address or signature that this gateway stored. */
export function hexOf(text: string): Hex {
  if (isHex(text)) return text;
  throw new Error(`${text} is not hex.`);
}
