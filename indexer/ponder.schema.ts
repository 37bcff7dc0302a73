/**
 * Stores facts only: one row per log, never updated, keyed by its block, and one row per chain that records how far and on which fork it
 * was read. `chain_id` is part of each primary key, as isolated ordering requires.
 */
import { index, onchainTable, primaryKey } from 'ponder';

export const chainEvent = onchainTable(
  'chain_event',
  (t) => ({
    chainId: t.integer().notNull(),
    /** `<block hash>-<log index>`. */
    id: t.text().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.bigint().notNull(),
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    address: t.hex().notNull(),
    kind: t.text().notNull(),
    /** The payment's id, for events that carry one. */
    ref: t.text(),
    /** The payment intent that an escrow event names, as 32 bytes. Anyone can name any intent. */
    intent: t.text(),
    /** The address whose tokens the event concerns: the owner of an Approval, the sender of a Transfer. */
    holder: t.hex(),
    args: t.json().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.id] }),
    byBlock: index().on(table.chainId, table.blockNumber),
    byRef: index().on(table.chainId, table.ref),
    byTransaction: index().on(table.chainId, table.txHash),
    byKind: index().on(table.kind, table.blockTimestamp, table.chainId),
    byIntent: index().on(table.intent),
    byHolder: index().on(table.chainId, table.holder),
    byTime: index().on(table.blockTimestamp, table.chainId, table.blockNumber, table.logIndex),
  }),
);

export const chainProgress = onchainTable(
  'chain_progress',
  (t) => ({
    chainId: t.integer().notNull(),
    number: t.bigint().notNull(),
    hash: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId] }) }),
);
