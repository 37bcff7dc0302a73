import pg from 'pg';
import type { Log } from '../../platform/log.ts';
import { recordUnavailable } from './record-unavailable.ts';

export type RecordDatabase = {
  /** Returns the rows of one statement. Throws CHAIN_UNAVAILABLE, without the database's message, if it cannot be read in time. */
  query(text: string, values: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
};

const CONNECTIONS = 3;
/** Ponder locks its tables while it recovers. No request waits for that. */
const OPTIONS = '-c lock_timeout=500 -c statement_timeout=3000 -c default_transaction_read_only=on';

/**
 * Opens connections for reading the indexer's views and the inbox, separate from the core's, so that a slow or locked record holds up
 * nothing else. A failure is logged once, until the database responds again.
 */
export function openRecordDatabase({ log }: { log: Log }, { url }: { url: string }): RecordDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    application_name: 'sluice-chain-record',
    options: OPTIONS,
    connectionTimeoutMillis: 2_000,
    query_timeout: 4_000,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // A connection that breaks while idle is replaced at the next query.
  pool.on('error', () => undefined);
  let failing = false;
  return {
    async query(text, values) {
      try {
        const { rows } = await pool.query(text, [...values]);
        if (failing) log.info({}, "The indexer's record can be read again.");
        failing = false;
        return rows;
      } catch (error) {
        if (!failing) log.warn({ err: error }, "The indexer's record cannot be read.");
        failing = true;
        throw recordUnavailable("The indexer's record cannot be read now.", error);
      }
    },
    close: () => pool.end(),
  };
}
