import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  numberToHex,
  type PublicClient,
} from 'viem';
import { classifyRevert, type RevertVerdict } from '../classify-revert.ts';
import { describeRevert } from '../describe-revert.ts';
import { escrowAbi } from '../escrow-abi.ts';
import { readEscrowState } from '../read-escrow-state.ts';
import type { BatchGoal, BatchItem } from './batch-item.ts';

/** DONE: the goal is reached, by this call or another. Otherwise, the cause and whether the same call may succeed later. */
export type ItemVerdict = { verdict: 'DONE' } | { verdict: RevertVerdict; error: string };

type CallFault = { kind: 'REVERT'; data: Hex | null; message: string } | { kind: 'NO_FUNDS' };

type World = {
  client: Pick<PublicClient, 'request'>;
  escrow: Address;
  /** The meaning of an error from a call; null where the node itself failed. */
  callFault(error: unknown): CallFault | null;
};

/**
 * Why an item of a batch failed, or was refused: its goal is read, and if it is not reached the call is simulated alone,
 * with the gas that it had in the batch if `gasCap` is given. At the latest block, or in exactly the block of `blockHash`,
 * which must be canonical. A call that now succeeds is classified as PASSES, because its obstacle is gone. Throws the node's errors.
 */
export async function evaluateItem(
  world: World,
  { item, gasCap, blockHash }: { item: BatchItem; gasCap?: bigint; blockHash?: Hex },
): Promise<ItemVerdict> {
  const block = blockHash === undefined ? ('latest' as const) : ({ blockHash, requireCanonical: true } as const);
  if (await isReached(world, item.goal, blockHash)) return { verdict: 'DONE' };
  const gas = gasCap === undefined ? {} : { gas: numberToHex(gasCap + intrinsicGas(item.data)) };
  try {
    const call = { to: world.escrow, data: item.data, ...gas };
    await world.client.request({ method: 'eth_call', params: [call, block] });
    return { verdict: 'PASSES', error: 'Succeeds when it is simulated again' };
  } catch (error) {
    const fault = world.callFault(error);
    if (fault?.kind !== 'REVERT') throw error;
    if (fault.data === null) return { verdict: 'PASSES', error: fault.message };
    return { verdict: classifyRevert(fault.data), error: describeRevert(fault.data) };
  }
}

async function isReached({ client, escrow }: World, goal: BatchGoal, blockHash: Hex | undefined): Promise<boolean> {
  if (goal.kind === 'PAYMENT') {
    const at = blockHash === undefined ? {} : { blockHash };
    const { status } = await readEscrowState({ client, escrow }, { id: goal.id, ...at });
    return goal.status === null ? status !== 'NONE' : status === goal.status;
  }
  const functionName = 'creditOf';
  const data = encodeFunctionData({ abi: escrowAbi, functionName, args: [goal.recipient, goal.token] });
  const block = blockHash === undefined ? ('latest' as const) : ({ blockHash, requireCanonical: true } as const);
  const answer = await client.request({ method: 'eth_call', params: [{ to: escrow, data }, block] });
  return decodeFunctionResult({ abi: escrowAbi, functionName, data: answer }) === 0n;
}

/** The intrinsic gas of a transaction and its calldata, which a simulated call pays from the same gas. */
function intrinsicGas(data: Hex): bigint {
  const bytes = hexToBytes(data);
  const zeros = bytes.filter((byte) => byte === 0).length;
  return BigInt(21_000 + 4 * zeros + 16 * (bytes.length - zeros));
}
