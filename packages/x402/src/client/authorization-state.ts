import { createPublicClient, getAddress, type Hex, http } from 'viem';
import type { Receipt } from './buyer-store.ts';

const abi = [
  {
    type: 'function',
    name: 'authorizationState',
    stateMutability: 'view',
    inputs: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
] as const;

/** Blocks may still be replaced for this long after the authorization has ended. */
const AFTER_END_SECONDS = 60;

/**
 * Whether the token has taken the authorization of a payment: true, false for ever, or undefined while it may still be taken or the node
 * does not answer. The block's time decides about the end, not the machine's clock.
 */
export async function wasUsed(
  { rpcUrl, fetch }: { rpcUrl: string; fetch: typeof globalThis.fetch },
  receipt: Receipt,
): Promise<boolean | undefined> {
  if (receipt.nonce === null || receipt.validBefore === null) return undefined;
  const client = createPublicClient({ transport: http(rpcUrl, { fetchFn: fetch, retryCount: 1, timeout: 10_000 }) });
  try {
    const block = await client.getBlock({ blockTag: 'latest' });
    const isUsed = await client.readContract({
      address: getAddress(receipt.asset),
      abi,
      functionName: 'authorizationState',
      args: [getAddress(receipt.payer), receipt.nonce as Hex],
      blockNumber: block.number,
    });
    if (isUsed) return true;
    return Number(block.timestamp) > receipt.validBefore + AFTER_END_SECONDS ? false : undefined;
  } catch {
    return undefined;
  }
}
