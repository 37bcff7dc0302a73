/** The EIP-712 domain of the escrow contract on one chain. */
import type { Address } from 'viem';

/** Where the contract is. */
export type EscrowPlace = { chainId: number; escrow: Address };

export const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;

export function escrowDomain(place: EscrowPlace) {
  return { name: 'Sluice', version: '1', chainId: place.chainId, verifyingContract: place.escrow } as const;
}
