/** The EIP-712 domain of the escrow contract on one chain; its version is the contract's edition. */
import type { Address } from 'viem';

/** The chain and address of the contract. */
export type EscrowPlace = { chainId: number; escrow: Address };

export const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;

/** The version of the contract that this build signs for and calls. Rows record their own. */
export const ESCROW_EDITION = 2;

export function escrowDomain(place: EscrowPlace) {
  return {
    name: 'Sluice',
    version: `${ESCROW_EDITION}`,
    chainId: place.chainId,
    verifyingContract: place.escrow,
  } as const;
}
