/**
 * A payout that could not be delivered. The escrow pushes money to the payer, merchant and fee recipient. A recipient that cannot
 * be paid (blocked by the token's issuer, a paused token, a contract that rejects the coin) is credited instead, and one claim
 * pays everything that it was credited in that token, for any number of payments.
 *
 * ```
 * Credited ──► undelivered ──the first Claimed of this recipient and token after it──► delivered
 * ```
 *
 * Whether a credit is delivered depends on its position and on the positions of the claims, not on a sum, so that credits of
 * other gateways' payments in the same contract make no difference. A reorganization that removes a claim makes the payout
 * undelivered again; one that removes the credit removes the payout.
 *
 * On Solana, a share that its recipient cannot receive (an account that holds nothing cannot receive less than the rent
 * exemption) goes to an account of the installation that keeps it for this recipient alone. The same two events report it.
 *
 * Authority: the contract; on Solana the accounts that keep the shares. The status of the payment does not depend on its payouts:
 * a payment is SETTLED by its settlement, whether or not every recipient could be paid.
 */
import type { LedgerAccount, PayoutRole } from '../../../prisma/client.ts';
import { byPlace } from '../../facts/chain-fact.ts';

export const payoutRoles = ['PAYER', 'MERCHANT', 'FEE_RECIPIENT'] as const satisfies readonly PayoutRole[];

/**
 * Recipient and token are in lower case, and the zero address is the native coin. On Solana they are unchanged, and SOL is
 * "native".
 */
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

/** `amount` is in base units. `keptAt` is the account that keeps the share on Solana, null where the escrow does. */
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

/** The account that should receive the money, and does so only on delivery. */
export const accountOf: { [Role in PayoutRole]: LedgerAccount } = {
  PAYER: 'PAYER',
  MERCHANT: 'MERCHANT',
  FEE_RECIPIENT: 'FEE',
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Time after the credit; a transient fault has cleared by then. */
const FIRST_DELAYS_MS = [5 * MINUTE_MS, HOUR_MS];
const LATER_DELAY_MS = 6 * HOUR_MS;

/**
 * When delivery is first attempted. A kept share on Solana is tried at once: together with it, the kept amount may be enough to
 * be received, and checking costs nothing.
 */
export function firstAttemptAt({ keptAt }: Pick<Credit, 'keptAt'>, now: Date): Date {
  return keptAt === null ? nextTryAt(now, now) : now;
}

/** When delivery is attempted next: 5 minutes and an hour after the credit was seen, and every 6 hours after that. */
export function nextTryAt(seenAt: Date, now: Date): Date {
  const age = now.getTime() - seenAt.getTime();
  const next = FIRST_DELAYS_MS.find((wait) => age < wait);
  return new Date(next === undefined ? now.getTime() + LATER_DELAY_MS : seenAt.getTime() + next);
}
