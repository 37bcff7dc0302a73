/** What the watcher asks of the room that knows payments: which vaults to read, and what a transaction means. */
import type { Connection } from '@solana/web3.js';
import type { DatabaseTransaction, SolanaWatch } from '../../../prisma/client.ts';
import type { ChainLog } from '../chain-fact.ts';
import type { SolanaTransaction } from './solana-transaction.ts';

export type VaultReader = {
  /** The vaults that can be paid or have a payout pending. Names each vault that a sweep found different, once. */
  watched(request: { chainId: number; now: Date }): Promise<SolanaWatch[]>;
  /** The same vaults without those of a sweep, for who listens to them and does not read them. */
  listened(request: { chainId: number; now: Date }): Promise<SolanaWatch[]>;
  /** The facts that a transaction brings and the inbox does not hold; may write terms of deposits that no quote covers. */
  interpret(tx: DatabaseTransaction, transaction: SolanaTransaction): Promise<ChainLog[]>;
  /** Compares the vaults that are not read any more with the books; those that differ are read in the next turn. */
  sweep(request: { chainId: number; connection: Connection }): Promise<void>;
};
