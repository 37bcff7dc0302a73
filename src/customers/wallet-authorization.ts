/**
 * A wallet's authorization for the escrow, according to its chain: a positive allowance of any registered token counts. It is
 * attributed to the newest approval that is still valid; PERMIT if the operator relayed it.
 */
import { isHex } from 'viem';
import type { ChainFact } from '../../prisma/client.ts';

export type WalletAuthorization = {
  hasActiveAuthorization: boolean;
  authorizationType: 'PERMIT' | 'APPROVAL' | null;
  authorizationTxHash: string | null;
  /** The block's time. */
  authorizedAt: Date | null;
};

export const noAuthorization: WalletAuthorization = {
  hasActiveAuthorization: false,
  authorizationType: null,
  authorizationTxHash: null,
  authorizedAt: null,
};

/** An allowance granted before the chain was first read has no known approval. */
export function authorizationBy(
  approval: Pick<ChainFact, 'txHash' | 'blockTimestamp'> | null,
  relayedPermit: boolean,
): WalletAuthorization {
  return {
    hasActiveAuthorization: true,
    authorizationType: relayedPermit ? 'PERMIT' : 'APPROVAL',
    authorizationTxHash: approval?.txHash ?? null,
    authorizedAt: approval ? new Date(Number(approval.blockTimestamp) * 1000) : null,
  };
}

/** The owner of an Approval or the sender of a Transfer; null if the arguments are malformed. */
export function holderOf(fact: Pick<ChainFact, 'kind' | 'args'>): `0x${string}` | null {
  const { args } = fact;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const holder = fact.kind === 'Approval' ? args.owner : args.from;
  return typeof holder === 'string' && isHex(holder) && holder.length === 42 ? holder : null;
}
