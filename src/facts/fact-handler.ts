/**
 * What other modules do with facts. The composition root gives the projector a table of event name → handler. A handler receives one
 * group of facts at a time: all facts of one payment, or a single fact of another kind.
 */
import type { ChainFact, DatabaseTransaction } from '../../prisma/client.ts';
import type { ChainView } from './chain-view.ts';

export type FactGroup = {
  chainId: number;
  ref: string | null;
  /** CONFIRMED facts to apply and ORPHANED facts to revert, in chain order. */
  facts: ChainFact[];
  view: ChainView;
  /** The API request that caused the facts, if it is known. */
  requestId?: string | null;
};

/**
 * Writes inside the projector's transaction, after it has marked the group's facts as applied; events are appended last.
 * Throws GatewayError CONFLICT if the preparation is out of date; everything is then rolled back and retried.
 */
export type WriteFacts = (tx: DatabaseTransaction) => Promise<void>;

/**
 * One write, or several if one transaction would be too long. Each runs in a transaction of its own, and the facts count as applied
 * with the last, so all but the last must be idempotent.
 */
export type PreparedWrites = WriteFacts | readonly WriteFacts[];

/** A write and the groups that it applies. */
export type PreparedWrite = { groups: readonly FactGroup[]; write: PreparedWrites };

export type FactHandler = {
  /** Reads what the write needs from the database and the nodes. Returns null while the evidence is incomplete; it is then called again. */
  prepare(group: FactGroup): Promise<PreparedWrites | null>;
  /**
   * Does the same for several groups with fewer queries and transactions. Each write is one transaction. Groups in none of them wait.
   * If a write throws CONFLICT, its groups are prepared one by one.
   */
  prepareTogether?(groups: readonly FactGroup[]): Promise<PreparedWrite[]>;
  /** All facts of a turn form one group without a reference. The handler determines the owner of each. */
  gathers?: boolean;
  /** Receives new facts of one transaction and block above the confirmed height, in the transaction that puts them into the inbox. */
  seen?(tx: DatabaseTransaction, group: FactGroup): Promise<void>;
  /** Receives facts that were orphaned before they were applied. */
  vanished?(tx: DatabaseTransaction, group: FactGroup): Promise<void>;
};

export type FactHandlers = ReadonlyMap<string, FactHandler>;
