import type { Address, Hex, PublicClient } from 'viem';

const LONGEST_SEARCH_BLOCKS = 1n << 20n;

/**
 * Returns the hash of the transaction that used `nonce` in a block up to `upTo`. Null if the nonce was not used by then, or was used
 * before the searched range of 2^20 blocks. Throws if the node no longer has the account's state there.
 */
export async function nonceUser(
  client: PublicClient,
  { address, nonce, upTo }: { address: Address; nonce: bigint; upTo: bigint },
): Promise<Hex | null> {
  const usedAt = async (blockNumber: bigint): Promise<boolean> =>
    BigInt(await client.getTransactionCount({ address, blockNumber })) > nonce;
  if (!(await usedAt(upTo))) return null;
  // Steps back by doubling distances to a block where the nonce was unused, then bisects. A recent use needs few calls.
  let used = upTo;
  let step = 1n;
  while (used > 0n) {
    if (step > LONGEST_SEARCH_BLOCKS) return null;
    const below = upTo > step ? upTo - step : 0n;
    if (!(await usedAt(below))) {
      let unused = below;
      while (used - unused > 1n) {
        const middle = (used + unused) / 2n;
        if (await usedAt(middle)) used = middle;
        else unused = middle;
      }
      break;
    }
    used = below;
    step *= 2n;
  }
  const block = await client.getBlock({ blockNumber: used, includeTransactions: true });
  const found = block.transactions.find(
    (one) => one.from.toLowerCase() === address.toLowerCase() && BigInt(one.nonce) === nonce,
  );
  return found?.hash ?? null;
}
