import type { Fees } from './outgoing-transaction.ts';
import type { SendingWorld } from './sending-world.ts';
import type { OpenOutgoing } from './store.ts';

/** What a turn of the pump reads from the chain once. */
export type SenderView = {
  head: bigint;
  baseFeeWei: bigint;
  /** The sender's nonces below this one are used, as of the newest block. */
  nonceUsedBelow: bigint;
  suggested: Fees;
};

const LEAST_TIP_WEI = 1n;

/** Reads head, nonce and fees. The suggested fee covers the base fee's increase over six full blocks. */
export async function readSender({ client, signer }: Pick<SendingWorld, 'client' | 'signer'>): Promise<SenderView> {
  const block = await client.getBlock({ blockTag: 'latest' });
  const nonce = await client.getTransactionCount({ address: signer.address, blockTag: 'latest' });
  const tip = await client.estimateMaxPriorityFeePerGas();
  const baseFeeWei = block.baseFeePerGas ?? 0n;
  const maxPriorityFeePerGasWei = tip > LEAST_TIP_WEI ? tip : LEAST_TIP_WEI;
  return {
    head: block.number,
    baseFeeWei,
    nonceUsedBelow: BigInt(nonce),
    suggested: { maxFeePerGasWei: baseFeeWei * 2n + maxPriorityFeePerGasWei, maxPriorityFeePerGasWei },
  };
}

/** The key's balance in wei, less the most that its unmined transactions may cost. */
export async function spendableWei(
  { client, signer }: Pick<SendingWorld, 'client' | 'signer'>,
  unmined: readonly OpenOutgoing[],
): Promise<bigint> {
  let wei = await client.getBalance({ address: signer.address });
  for (const { attempts, valueWei } of unmined) {
    const last = attempts.at(-1);
    if (last) wei -= last.gasLimit * BigInt(last.maxFeePerGasWei.toFixed(0)) + BigInt(valueWei.toFixed(0));
  }
  return wei > 0n ? wei : 0n;
}
