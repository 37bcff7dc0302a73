import type { Connection } from '@solana/web3.js';

/** Position of the amount in a token account of either program: 64 bits, little-endian. */
const AMOUNT_OFFSET = 64;
const AMOUNT_END = 72;
/** Number of accounts that a node accepts in one request. */
const ACCOUNTS_AT_ONCE = 100;

/**
 * Reads the balances of vaults at the newest final slot: base units of their token, or lamports if the vault is its owner itself. A
 * vault that does not exist has a balance of zero. Reads a hundred vaults in each request. Rejects with the node's errors.
 */
export async function readVaultBalances(
  connection: Connection,
  vaults: readonly { vault: string; vaultOwner: string }[],
  /** A node that is behind this slot rejects the request. */
  leastSlot?: bigint,
): Promise<Map<string, bigint>> {
  const { PublicKey } = await import('@solana/web3.js');
  const balances = new Map<string, bigint>();
  for (let start = 0; start < vaults.length; start += ACCOUNTS_AT_ONCE) {
    const batch = vaults.slice(start, start + ACCOUNTS_AT_ONCE);
    const keys = batch.map(({ vault }) => new PublicKey(vault));
    const accounts = await connection.getMultipleAccountsInfo(keys, {
      commitment: 'finalized',
      ...(leastSlot === undefined ? {} : { minContextSlot: Number(leastSlot) }),
    });
    for (const [index, { vault, vaultOwner }] of batch.entries()) {
      const account = accounts[index];
      if (!account) balances.set(vault, 0n);
      else if (vault === vaultOwner) balances.set(vault, BigInt(account.lamports));
      else if (account.data.length >= AMOUNT_END) balances.set(vault, account.data.readBigUInt64LE(AMOUNT_OFFSET));
    }
  }
  return balances;
}
