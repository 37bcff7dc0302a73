import { type Address, type Client, type Hash, TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem';
import { getTransaction, getTransactionCount, getTransactionReceipt } from 'viem/actions';
import type { Found } from '../found.ts';

/** The sender and the nonce of a transaction: a chain accepts one transaction for each nonce. */
export type Place = { from: Address; nonce: number };

/**
 * REPLACED: the transaction is unknown, and its sender has another one with the same nonce, which may be the same payment with a higher
 * fee. `place` is returned while the transaction is pending, and must be passed back to detect a replacement.
 */
export async function findTransaction(
  client: Client,
  { hash, place: known }: { hash: Hash; place: Place | undefined },
): Promise<{ found: Found | 'REPLACED'; place: Place | undefined }> {
  const outcome = await findOutcome(client, hash);
  const place = known ?? (outcome ? undefined : await findPlace(client, hash));
  if (outcome || !place) return { found: outcome ?? 'NOT_THERE', place };
  const { from: address, nonce } = place;
  const count = await getTransactionCount(client, { address, blockTag: 'latest' });
  if (count <= nonce) return { found: 'NOT_THERE', place };
  // It may have been mined between the two requests.
  return { found: (await findOutcome(client, hash)) ?? 'REPLACED', place };
}

async function findOutcome(client: Client, hash: Hash): Promise<'DONE' | 'REVERTED' | undefined> {
  try {
    const receipt = await getTransactionReceipt(client, { hash });
    return receipt.status === 'reverted' ? 'REVERTED' : 'DONE';
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

async function findPlace(client: Client, hash: Hash): Promise<Place | undefined> {
  try {
    const { from, nonce } = await getTransaction(client, { hash });
    return { from, nonce };
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return undefined;
    throw error;
  }
}
