import { getTransferFeeConfig, getTransferHook, type Mint, unpackMint } from '@solana/spl-token';
import { type AccountInfo, PublicKey } from '@solana/web3.js';

/** `programId` is the token program that the mint belongs to. */
export type SolanaMint = { address: string; programId: string; decimals: number; hasPlainTransfers: boolean };

/**
 * Reads a mint's account. Returns null if it does not exist. Transfers are not plain if the mint deducts a fee of its own or calls a
 * program that may refuse, because the received amount may then differ from the paid one.
 */
export function readSolanaMint(address: string, account: AccountInfo<Buffer> | null): SolanaMint | null {
  const mint = unpacked(address, account);
  if (!account || !mint) return null;
  const { decimals } = mint;
  return { address, programId: account.owner.toBase58(), decimals, hasPlainTransfers: isPlain(mint) };
}

function unpacked(address: string, account: AccountInfo<Buffer> | null): Mint | null {
  try {
    return account && unpackMint(new PublicKey(address), account, account.owner);
  } catch {
    return null;
  }
}

function isPlain(mint: Mint): boolean {
  const fee = getTransferFeeConfig(mint);
  const points = fee ? [fee.olderTransferFee, fee.newerTransferFee].map((one) => one.transferFeeBasisPoints) : [];
  const hook = getTransferHook(mint);
  return points.every((bps) => bps === 0) && (hook === null || hook.programId.equals(PublicKey.default));
}
