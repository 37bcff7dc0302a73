import pg from 'pg';
import type { Log } from '../../platform/log.ts';
import { recordUnavailable } from './record-unavailable.ts';

export type RecordDatabase = {
  /** The rows of one statement. CHAIN_UNAVAILABLE, without the database's words, when it cannot be read in time. */
  query(text: string, values: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
};

const CONNECTIONS = 3;
/** Ponder locks its tables while it recovers: nobody waits for that. */
const OPTIONS = '-c lock_timeout=500 -c statement_timeout=3000 -c default_transaction_read_only=on';

/**
 * Connections for reading the indexer's views and the inbox beside them, apart from the core's, so that a record that is slow
 * or locked holds up nothing else. The database is logged as failing once, until it answers again.
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
