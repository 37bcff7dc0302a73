/** What a transaction did to one vault, and the payment events that follow from it. */
import type { SolanaWatch } from '../../../prisma/client.ts';
import type { BalanceChange, SolanaTransaction } from '../../facts/solana/solana-transaction.ts';

/** One vault's part of a transaction; `watches` are those of its intent, newest first. */
export type VaultChange = {
  transaction: SolanaTransaction;
  change: BalanceChange;
  watches: SolanaWatch[];
  /** The wallet that the money came from, if it can be determined. */
  payer: string | null;
};

/** An event of one payment, or of no single payment (`termsHash` null), to be put into the inbox. */
export type VaultEvent = { kind: string; termsHash: string | null; args: Record<string, unknown> };
