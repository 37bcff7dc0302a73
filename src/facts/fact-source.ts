/** Where logs come from: Ponder's rows (`ponder-source.ts`) or a node itself (`log-source.ts`). */
import type { ChainLog } from './chain-fact.ts';

export type FactReading = {
  /** In chain order. */
  logs: ChainLog[];
  /**
   * The block that the reading is complete up to, as the source knows it; null while the source knows nothing, and then
   * a missing log means nothing either. Its hash tells which fork the source is on; null where it asked the node itself.
   */
  through: { number: bigint; hash: string | null } | null;
};

export type FactSource = {
  /**
   * Reads blocks `from` to `to`, both included; a source may stop earlier and say so by `through`. `headHash` says that
   * `to` is the node's head, and which block that is.
   */
  read(request: { chainId: number; from: bigint; to: bigint; headHash?: string }): Promise<FactReading>;
  close(): Promise<void>;
};
