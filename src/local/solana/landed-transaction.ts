/** A transaction that landed in a slot, successful or not, as it is stored in memory and on disk. */
import { VersionedMessage } from '@solana/web3.js';
import { z } from 'zod';
import { splitTransaction } from './svm.ts';

const tokenBalanceShape = z.object({
  accountIndex: z.int(),
  mint: z.string(),
  owner: z.string(),
  programId: z.string(),
  /** Base units, as a decimal string. */
  amount: z.string(),
  decimals: z.int(),
});

const instructionShape = z.object({
  programIdIndex: z.int(),
  accounts: z.array(z.int()),
  /** Base64. */
  data: z.string(),
  stackHeight: z.int(),
});

/** Lamports are decimal strings, in the order of the transaction's accounts. `raw` is base64. */
export const landedTransactionShape = z.object({
  signature: z.string(),
  slot: z.int(),
  /** Unix seconds. */
  blockTime: z.int(),
  raw: z.string(),
  err: z.union([z.string(), z.record(z.string(), z.unknown())]).nullable(),
  logs: z.array(z.string()),
  inner: z.array(z.object({ index: z.int(), instructions: z.array(instructionShape) })),
  fee: z.string(),
  computeUnits: z.string(),
  preBalances: z.array(z.string()),
  postBalances: z.array(z.string()),
  preTokens: z.array(tokenBalanceShape),
  postTokens: z.array(tokenBalanceShape),
});

export type LandedTransaction = z.infer<typeof landedTransactionShape>;
export type TokenBalance = z.infer<typeof tokenBalanceShape>;

export type ReadTransaction = {
  signatures: Uint8Array[];
  message: VersionedMessage;
  /** Base58, in the message's order, signers first. */
  keys: string[];
  blockhash: string;
};

/** Throws for bytes that are not a transaction, and for address lookup tables, which the local chain does not support. */
export function readTransaction(raw: Uint8Array): ReadTransaction {
  const { signatures, message: bytes } = splitTransaction(raw);
  const message = VersionedMessage.deserialize(bytes);
  if (message.version !== 'legacy' && message.addressTableLookups.length > 0) {
    throw new Error('address lookup tables are not modelled here');
  }
  if (message.header.numRequiredSignatures !== signatures.length) throw new Error('signature count mismatch');
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  return { signatures, message, keys, blockhash: message.recentBlockhash };
}
