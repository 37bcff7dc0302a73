import type { Connection } from '@solana/web3.js';

/** Of a token account of either program: where its amount stands, 64 bits with the low byte first. */
const AMOUNT_OFFSET = 64;
const AMOUNT_END = 72;
/** What a node takes in one request. */
const ACCOUNTS_AT_ONCE = 100;

/**
 * What vaults hold at the newest final slot: base units of their token, or lamports where the vault is its owner itself.
 * One that does not exist holds nothing. A hundred a request. Rejects with what the node rejects with.
 */
export async function readVaultBalances(
  connection: Connection,
  vaults: readonly { vault: string; vaultOwner: string }[],
  /** A node that is behind this slot refuses. */
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
