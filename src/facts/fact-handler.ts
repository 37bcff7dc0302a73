/**
 * What other rooms do with facts. Main hands the projector a table of event name → handler; a handler is told of a
 * group of facts at a time (all of one payment, or a single one of other kinds).
 */
import type { ChainFact, DatabaseTransaction } from '../../prisma/client.ts';
import type { ChainView } from './chain-view.ts';

export type FactGroup = {
  chainId: number;
  ref: string | null;
  /** CONFIRMED ones to be applied and ORPHANED ones to be taken back, in chain order. */
  facts: ChainFact[];
  view: ChainView;
  /** The API request that the facts follow from, where that is known. */
  requestId?: string | null;
};

/**
 * Writes inside the projector's transaction, after it has marked the group's facts as applied; events are appended last.
 * Throws GatewayError CONFLICT if what was prepared is out of date: all is rolled back and tried again.
 */
export type WriteFacts = (tx: DatabaseTransaction) => Promise<void>;

/**
 * One write, or several where one transaction would be too long. Each is a transaction of its own, and the facts count as
 * applied with the last: all but the last must be harmless twice.
 */
export type PreparedWrites = WriteFacts | readonly WriteFacts[];

/** A write, and the groups that it applies. */
export type PreparedWrite = { groups: readonly FactGroup[]; write: PreparedWrites };

export type FactHandler = {
  /** Reads what the write needs from database and nodes; null while the evidence is not whole, and it is asked again. */
  prepare(group: FactGroup): Promise<PreparedWrites | null>;
  /**
   * The same for several groups, with fewer questions and transactions: each write is one transaction. Groups in none of
   * them wait. A write that throws CONFLICT is given up, and its groups are prepared one by one.
   */
  prepareTogether?(groups: readonly FactGroup[]): Promise<PreparedWrite[]>;
  /** All its facts of a turn are one group, without a reference: the handler finds out whose each is. */
  gathers?: boolean;
  /** New facts of one transaction and block above the confirmed height, put into the inbox in this same transaction. */
  seen?(tx: DatabaseTransaction, group: FactGroup): Promise<void>;
  /** Facts that were orphaned before they were applied. */
  vanished?(tx: DatabaseTransaction, group: FactGroup): Promise<void>;
};

export type FactHandlers = ReadonlyMap<string, FactHandler>;
