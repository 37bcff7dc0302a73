/** Looks on its own chain for a transaction that the payer's wallet sent: what reverted tells no log, so the API never hears of it. */
import { TransactionReceiptNotFoundError } from 'viem';
import { getTransactionReceipt } from 'viem/actions';
import { chainOf } from '../../settings.ts';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import { type Found, findSignature } from '../../wallet/solana/find-signature.ts';

/** UNKNOWN: nobody could be asked, which says nothing of whether it is there. */
export type Sight = Found | 'UNKNOWN';

/** Throws what the node or the wallet throws that was asked. */
export async function lookFor({ chainId, txHash }: { chainId: number; txHash: string }): Promise<Sight> {
  const chain = chainOf(chainId);
  if (chain?.family === 'SOLANA')
    return chain.nodeUrl === null ? 'UNKNOWN' : await findSignature(chain.nodeUrl, txHash);
  const reader = await chainReader(chainId);
  if (!reader) return 'UNKNOWN';
  try {
    const receipt = await getTransactionReceipt(reader, { hash: `0x${txHash.slice(2)}` });
    return receipt.status === 'reverted' ? 'REVERTED' : 'DONE';
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return 'NOT_THERE';
    throw error;
  }
}
