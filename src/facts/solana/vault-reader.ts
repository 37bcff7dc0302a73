/** What the watcher needs from the payments module: which vaults to read, and what a transaction means. */
import type { Connection } from '@solana/web3.js';
import type { DatabaseTransaction, SolanaWatch } from '../../../prisma/client.ts';
import type { ChainLog } from '../chain-fact.ts';
import type { SolanaTransaction } from './solana-transaction.ts';

export type VaultReader = {
  /** Returns the vaults that can be paid or have a payout pending. Includes each vault that a sweep found different once. */
  watched(request: { chainId: number; now: Date }): Promise<SolanaWatch[]>;
  /** Returns the same vaults without those of a sweep, for callers that listen to them and do not read them. */
  listened(request: { chainId: number; now: Date }): Promise<SolanaWatch[]>;
  /** Returns the facts of a transaction that are not in the inbox yet. May write terms for deposits that no quote covers. */
  interpret(tx: DatabaseTransaction, transaction: SolanaTransaction): Promise<ChainLog[]>;
  /** Compares the vaults that are no longer read with the ledger. Those that differ are read in the next turn. */
  sweep(request: { chainId: number; connection: Connection }): Promise<void>;
};
