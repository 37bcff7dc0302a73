import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  type PublicClient,
} from 'viem';
import { escrowAbi } from './escrow-abi.ts';
import { decodeEscrowState, type EscrowState } from './read-escrow-state.ts';

/**
 * Reads the states of several payments by one call of Multicall3: at the latest block, or in exactly the block of
 * `blockHash`, which must be canonical. Null for a payment whose call failed. Throws the node's errors, and if the chain has no Multicall3.
 */
export async function readEscrowStates(
  world: { client: Pick<PublicClient, 'request'>; escrow: Address; multicall: Address },
  request: { ids: readonly Hex[]; blockHash?: Hex },
): Promise<(EscrowState | null)[]> {
  const calls = request.ids.map((id) => ({
    target: world.escrow,
    allowFailure: true,
    callData: encodeFunctionData({ abi: escrowAbi, functionName: 'stateOf', args: [id] }),
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const { blockHash } = request;
  const block = blockHash === undefined ? ('latest' as const) : ({ blockHash, requireCanonical: true } as const);
  const answer = await world.client.request({ method: 'eth_call', params: [{ to: world.multicall, data }, block] });
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
  return request.ids.map((_, index) => {
    const result = results[index];
    return result?.success ? decodeEscrowState(result.returnData) : null;
  });
}
