/**
 * An exact payment: an ERC-3009 authorization by which a payer moves the full amount from their account directly to the merchant's address
 * (x402 scheme `exact`). The escrow never holds the money, so it cannot be refunded, disputed or voided, and no fee is deducted.
 *
 * ```
 * PENDING ──the token transferred it──► SETTLED
 *    │ ▲                                   │
 *    │ └──────a reorganization removed it──┤
 *    └──canceled, nonce used, expired──► FAILED
 * ```
 *
 * - CANCELED: the payer canceled the authorization at the token.
 * - NONCE_USED: the payer used the nonce for another authorization.
 * - EXPIRED: at the confirmed height `validBefore` has passed, and the nonce is unused.
 *
 * Authority: the token contract, which uses each nonce of a payer once, regardless of who sends the transaction. Sending an authorization
 * twice therefore moves nothing twice. The outcome is read from the token's logs, never from what the installation's keys have sent. An
 * outcome whose block leaves the chain is withdrawn, and the authorization is sent again while it is valid.
 *
 * The inbox has one fact for each authorization that was used or canceled. Its reference is `paymentKey`, which replaces the hash of the
 * terms in the ledger.
 */
import { encodeAbiParameters, type Hex, keccak256 } from 'viem';
import type { ChainFact, ExactAuthorization, ExactFailure, ExactStatus } from '../../../../prisma/client.ts';
import { byPlace } from '../../../facts/chain-fact.ts';
import { TRANSFERRED } from '../../ledger.ts';

/** Kinds of the facts, besides TRANSFERRED for a transfer of the amount to the merchant. */
export const CANCELED = 'AuthorizationCanceled';
/** The nonce was used for something else. */
export const REUSED = 'AuthorizationReused';
export const exactKinds = [TRANSFERRED, CANCELED, REUSED] as const;
export type ExactKind = (typeof exactKinds)[number];

/** The longest that an authorization may remain valid, so that every payment has an outcome within a day. */
export const LONGEST_VALIDITY_SECONDS = 86_400n;
/** An authorization that is valid for a shorter time would usually expire before its transaction is mined. */
export const SHORTEST_VALIDITY_SECONDS = 6n;

/** Identifies the payment on its chain: a token uses each nonce of a payer once. */
export function paymentKeyOf(of: { token: string; payer: string; nonce: string }): Hex {
  const [token, payer, nonce] = [hex(of.token), hex(of.payer), hex(of.nonce)];
  return keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'address' }, { type: 'bytes32' }], [token, payer, nonce]),
  );
}

/** Hash of what an authorization is accepted for. */
export function purposeOf(parts: Record<string, string>): Hex {
  const sorted = Object.entries(parts).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return keccak256(new TextEncoder().encode(JSON.stringify(sorted)));
}

export type ExactOutcome = {
  status: ExactStatus;
  failure: ExactFailure | null;
  /** The fact that decides it; null while there is none. */
  fact: ChainFact | null;
};

/**
 * The outcome according to the valid facts at the confirmed height. Without a fact an expired authorization remains expired, and every
 * other one is pending.
 */
export function outcomeOf(
  { failure }: Pick<ExactAuthorization, 'failure'>,
  standing: readonly ChainFact[],
): ExactOutcome {
  const fact = standing.toSorted(byPlace).at(-1) ?? null;
  if (fact?.kind === TRANSFERRED) return { status: 'SETTLED', failure: null, fact };
  if (fact) return { status: 'FAILED', failure: fact.kind === CANCELED ? 'CANCELED' : 'NONCE_USED', fact };
  if (failure === 'EXPIRED') return { status: 'FAILED', failure, fact: null };
  return { status: 'PENDING', failure: null, fact: null };
}

const failures: { [Failure in ExactFailure]: { reason: string; message: string } } = {
  CANCELED: {
    reason: 'invalid_exact_evm_nonce_already_used',
    message: 'The payer canceled the authorization at the token before it was used. Nothing was paid.',
  },
  NONCE_USED: {
    reason: 'invalid_exact_evm_nonce_already_used',
    message: 'The payer used the nonce of the authorization for another transfer. Nothing was paid with it.',
  },
  EXPIRED: {
    reason: 'invalid_exact_evm_payload_authorization_valid_before',
    message: 'The authorization expired before the token transferred it. Nothing was paid.',
  },
};

/** The reason of a failure as x402 names it, and a sentence for people. */
export function describeFailure(failure: ExactFailure): { reason: string; message: string } {
  return failures[failure];
}

/** Narrows an address, nonce or signature that was parsed when it was stored. */
export function hex(text: string): Hex {
  return `0x${text.replace(/^0x/i, '').toLowerCase()}`;
}
