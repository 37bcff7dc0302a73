import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, type PublicClient } from 'viem';
import { escrowAbi } from './escrow-abi.ts';

/** The amount credited to one address in one token, which is the zero address for the native coin. */
export type CreditOwner = { recipient: Address; token: Address };

/**
 * Reads what the contract owes the recipient, in base units, other gateways' payments included: at the latest block, or in
 * exactly the block of `blockHash`, which must be canonical. Throws the node's errors.
 */
export async function readCredit(
  world: { client: Pick<PublicClient, 'request'>; escrow: Address },
  { recipient, token, blockHash }: CreditOwner & { blockHash?: Hex },
): Promise<bigint> {
  const block = blockHash === undefined ? ('latest' as const) : ({ blockHash, requireCanonical: true } as const);
  const data = creditOfData({ recipient, token });
  return decodeCredit(await world.client.request({ method: 'eth_call', params: [{ to: world.escrow, data }, block] }));
}

export function creditOfData({ recipient, token }: CreditOwner): Hex {
  return encodeFunctionData({ abi: escrowAbi, functionName: 'creditOf', args: [recipient, token] });
}

export function decodeCredit(data: Hex): bigint {
  return decodeFunctionResult({ abi: escrowAbi, functionName: 'creditOf', data });
}
