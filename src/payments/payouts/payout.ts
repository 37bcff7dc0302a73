/**
 * A payout that could not be delivered. The escrow pushes money to payer, merchant and fee recipient; a recipient that
 * cannot be paid (blocked by the token's issuer, a paused token, a contract that refuses the coin) is credited instead, and
 * a claim pays all that it was credited in that token at once, for any number of payments.
 *
 * ```
 * Credited ──► undelivered ──the first Claimed of this recipient and token after it──► delivered
 * ```
 *
 * The fold is absolute: whether a credit is delivered depends on its place and on the places of the claims, and on no sum,
 * so that credits of payments of other gateways in the same contract make no difference. A reorganisation that takes a claim
 * makes the payout undelivered again, one that takes the credit makes it vanish.
 *
 * On Solana a share that its recipient cannot take (an account that holds nothing takes no less than the rent exemption) goes to
 * an account of our own that keeps it for this recipient alone, which is told by the same two events.
 *
 * Authority: the contract; on Solana the accounts that keep the shares. The status of the payment is not this noun's: a payment is SETTLED by its settlement, whoever
 * could be paid.
 */
import type { LedgerAccount, PayoutRole } from '../../../prisma/client.ts';
import { byPlace } from '../../facts/chain-fact.ts';

export const payoutRoles = ['PAYER', 'MERCHANT', 'FEE_RECIPIENT'] as const satisfies readonly PayoutRole[];

/** Recipient and token in lower case, the zero address is the native coin; on Solana as they are, SOL is "native". */
export type CreditOwner = { recipient: string; token: string };

export type CreditPlace = {
  chainId: number;
  blockNumber: bigint;
  blockHash: string;
  /** Unix seconds. */
  blockTimestamp: bigint;
  txHash: string;
  logIndex: number;
};

/** `amount` in base units. `keptAt`: on Solana the account that keeps it, null where the escrow does. */
export type Credit = CreditPlace &
  CreditOwner & { termsHash: string; role: PayoutRole; amount: bigint; keptAt: string | null };
export type Claim = CreditPlace & CreditOwner & { to: string; amount: bigint };

export function ownerKey({ recipient, token }: CreditOwner): string {
  return `${recipient}:${token}`;
}

/** A credit, and the claim that delivered it, if there is one. */
export type FoldedPayout = { credit: Credit; claim: Claim | null };

/** Each credit, in chain order, with the first claim after it of the same recipient and token. */
export function foldPayouts(credits: readonly Credit[], claims: readonly Claim[]): FoldedPayout[] {
  const ofOwner = Map.groupBy(claims.toSorted(byPlace), ownerKey);
  const passed = new Map<string, number>();
  return credits.toSorted(byPlace).map((credit) => {
    const key = ownerKey(credit);
    const ofThis = ofOwner.get(key) ?? [];
    let next = passed.get(key) ?? 0;
    for (let claim = ofThis[next]; claim && byPlace<CreditPlace>(claim, credit) <= 0; claim = ofThis[next]) next += 1;
    passed.set(key, next);
    return { credit, claim: ofThis[next] ?? null };
  });
}

/** The account that was to get the money, and has it only when it is delivered. */
export const accountOf: { [Role in PayoutRole]: LedgerAccount } = {
  PAYER: 'PAYER',
  MERCHANT: 'MERCHANT',
  FEE_RECIPIENT: 'FEE',
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After the credit; whatever was only a moment's trouble is over by then. */
const FIRST_TRIES_MS = [5 * MINUTE_MS, HOUR_MS];
const LATER_TRIES_MS = 6 * HOUR_MS;

/** When delivering is tried first: what is kept on Solana may be enough to be taken with this share, and asking costs nothing. */
export function firstTryAt({ keptAt }: Pick<Credit, 'keptAt'>, now: Date): Date {
  return keptAt === null ? nextTryAt(now, now) : now;
}

/** When delivering is tried next: 5 minutes and an hour after the credit was seen, and every 6 hours after that. */
export function nextTryAt(seenAt: Date, now: Date): Date {
  const age = now.getTime() - seenAt.getTime();
  const next = FIRST_TRIES_MS.find((wait) => age < wait);
  return new Date(next === undefined ? now.getTime() + LATER_TRIES_MS : seenAt.getTime() + next);
}
