import type { Address } from 'viem';
import { callFault } from '../../chains/evm/classify-answer.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Call } from '../../escrow/calldata.ts';
import { describeRevert } from '../../escrow/describe-revert.ts';

/** Gas limit of a return. The code of the token and of a payer's contract determine how much they use, and the operator pays for it. */
export const RETURN_GAS = 1_000_000n;

/** Returns why a return by this sender would fail at present, or null if it would succeed. Throws CHAIN_UNAVAILABLE. */
export async function returnFault(
  { nodes }: { nodes: EvmNodes },
  { chainId, call, sender }: { chainId: number; call: Call; sender: Address },
): Promise<string | null> {
  return await nodes.asking(chainId, async (client) => {
    try {
      const gas = await client.estimateGas({ account: sender, to: call.to, data: call.data });
      return gas <= RETURN_GAS ? null : `The return needs ${gas} gas, which exceeds the limit of ${RETURN_GAS}.`;
    } catch (error) {
      const fault = callFault(error);
      if (fault === null) throw error;
      // The pump waits until its key has gas.
      if (fault.kind === 'NO_FUNDS') return null;
      return fault.data === null ? fault.message : describeRevert(fault.data);
    }
  });
}
