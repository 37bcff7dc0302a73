/** What a transaction did to one vault, and what that means for a payment. */
import type { SolanaWatch } from '../../../prisma/client.ts';
import type { BalanceChange, SolanaTransaction } from '../../facts/solana/solana-transaction.ts';

/** One vault's part of a transaction; `watches` are those of its intent, the newest first. */
export type VaultChange = {
  transaction: SolanaTransaction;
  change: BalanceChange;
  watches: SolanaWatch[];
  /** The wallet that the money came from, where it can be told. */
  payer: string | null;
};

/** An event of a payment, or of no single one (null), to be put into the inbox. */
export type VaultEvent = { kind: string; termsHash: string | null; args: Record<string, unknown> };
