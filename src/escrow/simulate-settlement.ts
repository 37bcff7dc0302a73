import { type Address, decodeFunctionResult, encodeFunctionData, multicall3Abi, type PublicClient } from 'viem';
import { settleCall } from './calldata.ts';
import { creditOfData, decodeCredit } from './read-credit.ts';
import type { PaymentTerms } from './terms.ts';

/**
 * Whether settling now would credit the merchant instead of paying it: Multicall3 settles between two readings of the
 * merchant's credit, in one `eth_call` at the latest block, which every node answers. Anyone may settle, so the
 * simulated caller makes no difference. Returns null if the settlement itself fails or the chain has no Multicall3. Throws the node's
 * errors.
 */
export async function wouldCreditMerchant(
  world: { client: Pick<PublicClient, 'request'>; escrow: Address; multicall: Address },
  { terms }: { terms: PaymentTerms },
): Promise<boolean | null> {
  const { client, escrow, multicall } = world;
  const credit = creditOfData({ recipient: terms.merchant, token: terms.token });
  const calls = [credit, settleCall({ escrow, terms }).data, credit].map((callData) => ({
    target: escrow,
    allowFailure: true,
    callData,
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const answer = await client.request({ method: 'eth_call', params: [{ to: multicall, data }, 'latest'] });
  if (answer === '0x') return null;
  const [before, settled, after] = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: answer,
  });
  if (!before?.success || !settled?.success || !after?.success) return null;
  return decodeCredit(after.returnData) > decodeCredit(before.returnData);
}
