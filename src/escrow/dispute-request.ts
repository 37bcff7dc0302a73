/** What a payer signs to dispute a payment without sending a transaction. */
import type { Hex, TypedDataDefinition } from 'viem';
import { domainFields, type EscrowPlace, escrowDomain } from './escrow-domain.ts';

export function disputeTypedData(request: EscrowPlace & { id: Hex }): TypedDataDefinition {
  return {
    domain: escrowDomain(request),
    types: { EIP712Domain: domainFields, Dispute: [{ name: 'id', type: 'bytes32' }] },
    primaryType: 'Dispute',
    message: { id: request.id },
  };
}
