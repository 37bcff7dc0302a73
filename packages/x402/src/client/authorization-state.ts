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
/** For one call to a node. */
const TIMEOUT_MS = 5_000;
/** Calls to one node at once. */
const CALLS_AT_ONCE = 8;

/** `endsAt`: when no further call begins, by `performance.now()`. */
export type Node = { rpcUrl: string; fetch: typeof fetch; endsAt: number };

/**
 * Reports for each receipt whether the token has taken its authorization: true, or false if it can never be taken. It reports nothing while the
 * authorization may still be taken or the node does not respond. The block's time determines whether it has expired, not the machine's clock.
 */
export async function readUses(
  { rpcUrl, fetch, endsAt }: Node,
  receipts: readonly Receipt[],
  report: (receipt: Receipt, isUsed: boolean) => Promise<void>,
): Promise<void> {
  const transport = http(rpcUrl, { fetchFn: fetch, retryCount: 0, timeout: TIMEOUT_MS });
  const client = createPublicClient({ transport });
  const block = await client.getBlock({ blockTag: 'latest' }).catch(() => undefined);
  if (!block) return;
  const readUse = async (receipt: Receipt): Promise<boolean | undefined> => {
    if (receipt.nonce === null || receipt.validBefore === null) return undefined;
    const isUsed = await client.readContract({
      address: getAddress(receipt.asset),
      abi,
      functionName: 'authorizationState',
      args: [getAddress(receipt.payer), receipt.nonce as Hex],
      blockNumber: block.number,
    });
    return isUsed || (Number(block.timestamp) > receipt.validBefore + AFTER_END_SECONDS ? false : undefined);
  };
  const waiting = [...receipts];
  const work = async () => {
    for (let receipt = waiting.shift(); receipt && performance.now() < endsAt; receipt = waiting.shift()) {
      const isUsed = await readUse(receipt).catch(() => undefined);
      if (isUsed !== undefined) await report(receipt, isUsed);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}
