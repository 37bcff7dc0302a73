/** Where logs come from: Ponder's rows (`ponder-source.ts`) or a node itself (`log-source.ts`). */
import type { ChainLog } from './chain-fact.ts';

export type FactReading = {
  /** Logs in chain order. */
  logs: ChainLog[];
  /**
   * The block up to which the reading is complete, as the source knows it. Null while the source knows nothing; a missing log then
   * proves nothing. The hash identifies the fork of the source. It is null if the source reads the node itself.
   */
  through: { number: bigint; hash: string | null } | null;
};

export type FactSource = {
  /**
   * Reads blocks `from` to `to`, inclusive. A source may stop earlier, which `through` reports. `headHash` is set if `to` is the
   * node's head, and is the hash of that block.
   */
  read(request: { chainId: number; from: bigint; to: bigint; headHash?: string }): Promise<FactReading>;
  close(): Promise<void>;
};
