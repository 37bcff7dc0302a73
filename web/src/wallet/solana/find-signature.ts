import type { Found } from '../found.ts';

const ANSWERED_WITHIN_MS = 10_000;

/**
 * Asks a Solana node for a transaction by its signature, base58, in its whole history. UNKNOWN while it is only in a block
 * that may still be dropped. Throws if the node does not respond.
 */
export async function findSignature(nodeUrl: string, signature: string): Promise<Found | 'UNKNOWN'> {
  const params = [[signature], { searchTransactionHistory: true }];
  const response = await fetch(nodeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSignatureStatuses', params }),
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  });
  const { result } = await response.json();
  const status: unknown = Array.isArray(result?.value) ? result.value[0] : undefined;
  if (status === null) return 'NOT_THERE';
  if (typeof status !== 'object' || !('confirmationStatus' in status) || !('err' in status))
    throw new Error('The node does not say whether it has the transaction.');
  if (status.confirmationStatus === 'processed') return 'UNKNOWN';
  return status.err === null ? 'DONE' : 'REVERTED';
}
