import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { demandFirstEditionClosed, FirstEditionOpen } from '../../prisma/open-first-edition.ts';
import { type Config, ConfigError } from '../config/config.ts';

const CONNECT_MS = 2_000;
const ANSWER_MS = 30_000;
/** A server that does not answer does not say goodbye either. */
const END_MS = 1_000;

/**
 * Throws a ConfigError that lists what of the contract's first edition is open in the database, before a part does
 * anything. A part starts while its database is away: then nothing is asked, and until the database is migrated, which asks
 * the same, the part is not ready.
 */
export async function demandSecondEdition({
  database,
}: {
  database: Pick<Config['database'], 'directUrl'>;
}): Promise<void> {
  const client = new pg.Client({
    connectionString: database.directUrl,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // A connection that breaks is told by the query.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await demandFirstEditionClosed(client);
  } catch (error) {
    if (error instanceof FirstEditionOpen) throw new ConfigError(error.message, { cause: error });
  } finally {
    await Promise.race([client.end().catch(() => undefined), delay(END_MS, undefined, { ref: false })]);
  }
}
