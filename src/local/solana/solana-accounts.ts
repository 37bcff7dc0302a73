/** The roles on a local Solana. The seeds are strings in this file, so the keys are publicly known. */
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';

/** `secretKey` is 64 bytes in base58, as wallets import and export it. */
export type LocalSolanaAccount = { address: string; secretKey: string };

export function localSolanaKeypair(name: string): Keypair {
  return Keypair.fromSeed(createHash('sha256').update(`local Solana account ${name}`).digest());
}

function account(name: string): LocalSolanaAccount {
  const keypair = localSolanaKeypair(name);
  return { address: keypair.publicKey.toBase58(), secretKey: base58.encode(keypair.secretKey) };
}

const payers: [LocalSolanaAccount, LocalSolanaAccount, LocalSolanaAccount] = [
  account('payer 0'),
  account('payer 1'),
  account('payer 2'),
];

/** Merchant and fee recipient start with only the rent exemption, so that what they receive is easy to see. */
export const localSolanaAccounts = {
  /** Holds SOL for fees and rent. */
  operator: account('operator'),
  merchant: account('merchant'),
  feeRecipient: account('fee recipient'),
  payers,
  /** The secret from which the keys of vaults are derived, as 64 hex digits. */
  vaultSecret: createHash('sha256').update('local Solana vaults').digest('hex'),
};
