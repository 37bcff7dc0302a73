/** The escrow contract's state of one payment. */
import type { Address, Hex, PublicClient } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { escrowAbi } from './escrow-abi.ts';

export const escrowStatuses = [
  'NONE',
  'AUTHORIZED',
  'CAPTURED',
  'VOIDED',
  'RECLAIMED',
  'REFUNDED',
  'SETTLED',
  'RESOLVED',
] as const;
export type EscrowStatus = (typeof escrowStatuses)[number];

/** `left` in base units; instants in unix seconds, 0 for never. */
export type EscrowState = { status: EscrowStatus; left: bigint; capturedAt: number; disputedAt: number };

/**
 * Reads the state of payment `id`: at the latest block, or in exactly the block of `blockHash`, which must be
 * canonical (EIP-1898). Throws the node's errors, including that of a block that is no longer in the chain.
 */
export async function readEscrowState(
  world: { client: Pick<PublicClient, 'request'>; escrow: Address },
  request: { id: Hex; blockHash?: Hex },
): Promise<EscrowState> {
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'stateOf', args: [request.id] });
  const block =
    request.blockHash === undefined
      ? ('latest' as const)
      : ({ blockHash: request.blockHash, requireCanonical: true } as const);
  const answer = await world.client.request({ method: 'eth_call', params: [{ to: world.escrow, data }, block] });
  return decodeEscrowState(answer);
}

/** What `stateOf` returns. */
export function decodeEscrowState(data: Hex): EscrowState {
  const [code, left, capturedAt, disputedAt] = decodeFunctionResult({ abi: escrowAbi, functionName: 'stateOf', data });
  const status = escrowStatuses[code];
  if (status === undefined) throw new Error(`The escrow returned the unknown status ${code}.`);
  return { status, left, capturedAt, disputedAt };
}
