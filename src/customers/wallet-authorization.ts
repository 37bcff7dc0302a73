/**
 * What a wallet lets the escrow take, as its chain has it: a positive allowance of any registered token counts. Which
 * approval it rests on is told by the newest one that still stands; PERMIT when the operator's relay carried it.
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

/** An allowance from before we read the chain has no approval that we know of. */
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

/** Of an Approval its owner, of a Transfer its sender; null where the arguments are not as they should be. */
export function holderOf(fact: Pick<ChainFact, 'kind' | 'args'>): `0x${string}` | null {
  const { args } = fact;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const holder = fact.kind === 'Approval' ? args.owner : args.from;
  return typeof holder === 'string' && isHex(holder) && holder.length === 42 ? holder : null;
}
